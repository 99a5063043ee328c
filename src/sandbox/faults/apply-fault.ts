import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../http/outcome.ts';
import { emptyResponse, type HttpResponse, jsonResponse } from '../http/response.ts';
import type { Fault } from './fault.ts';

/** How a request would be handled, without the fault. */
export interface Handling {
  /** Handles the request. Its errors have become responses. */
  readonly handle: () => Promise<HttpResponse>;
  /** Handles a read with the records as they were some time ago. */
  readonly handleAsOf: (agoMs: number) => Promise<HttpResponse>;
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal;
}

/** Does what a fault says with a request. */
export async function applyFault(
  { id, fault }: Fault,
  { handle, handleAsOf, closing }: Handling,
): Promise<Outcome> {
  const affected = { id, kind: fault.kind };
  if (!(await wait(fault.delayMs ?? 0, closing))) return { kind: 'closed', fault: affected };
  const complete = (response: HttpResponse): Outcome => ({
    kind: 'complete',
    response,
    fault: affected,
  });
  switch (fault.kind) {
    case 'delay':
      return complete(await handle());
    case 'stale':
      return complete(await handleAsOf(fault.agoMs));
    case 'status':
      if (fault.applied) await handle();
      return complete(statusResponse(fault.status, fault.body, fault.retryAfter));
    case 'drop':
    case 'silence':
      if (fault.applied) await handle();
      return { kind: fault.kind === 'drop' ? 'closed' : 'open', fault: affected };
    case 'truncate':
      return { kind: 'half', response: await handle(), fault: affected };
    case 'garble':
      return complete(garbled(await handle()));
    case 'rateLimit':
      return complete(
        statusResponse(429, { message: 'Too many requests' }, Math.ceil(fault.periodMs / 1000)),
      );
  }
}

/** Waits. Returns false if the sandbox closes before, so that a delay does not keep it running. */
async function wait(ms: number, closing: AbortSignal): Promise<boolean> {
  if (ms > 0) await sleep(ms, undefined, { signal: closing }).catch(() => {});
  return !closing.aborted;
}

function statusResponse(
  status: number,
  body: unknown,
  retryAfter: number | undefined,
): HttpResponse {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return body === undefined ? emptyResponse(status, headers) : jsonResponse(status, body, headers);
}

/** The same number of characters, but not JSON. */
function garbled(response: HttpResponse): HttpResponse {
  const { body } = response;
  return body === undefined ? response : { ...response, body: body.replace(/["{}[\]:]/g, '?') };
}
