import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import type { Controlled } from '../control/controlled.ts';
import type { Environment } from '../environment.ts';
import { emptyResponse, type HttpResponse, jsonResponse, type Outcome } from '../http/response.ts';
import type { HttpRequest, Route } from '../http/router.ts';
import type { ServiceOptions } from '../http/server.ts';
import type { Invite } from '../payments/members.ts';
import { routesOf, type ServiceName } from '../routes.ts';
import { readAsOf } from '../state/as-of.ts';
import type { Fault } from './fault.ts';

/** Returns what happens to each request of a service: the fault that affects it, or nothing. */
export function createInterfere(
  service: ServiceName,
  environment: Environment,
  { faults, closing }: Pick<Controlled, 'faults' | 'closing'>,
  invite: Invite,
): NonNullable<ServiceOptions['interfere']> {
  const { database } = environment;
  return async ({ route, request }, settle) => {
    const handle = () => settle(() => route.handle(request));
    const fault = await faults.find({
      service,
      method: route.method,
      route: route.path,
      merchantId: () => merchantOf(database, route, request),
    });
    if (fault === undefined) return { kind: 'complete', response: await handle() };
    return applyFault(fault, {
      handle,
      closing,
      handleAsOf: (agoMs) =>
        readAsOf(database, agoMs, (past) => {
          const routes = routesOf({ ...environment, database: past }, invite)[service];
          const same = routes.find(
            ({ method, path }) => method === route.method && path === route.path,
          );
          return settle(() => (same ?? route).handle(request));
        }),
    });
  };
}

/** The tables of the records whose id is the first placeholder of a path. */
const tables: Readonly<Record<string, string>> = {
  transactions: 'transaction',
  lines: 'line',
  cards: 'saved_card',
  disputes: 'dispute',
  frauds: 'fraud_alert',
};

/** Returns the id of the merchant whose records a request is for, if there is one. */
async function merchantOf(
  database: Queryable,
  { path }: Pick<Route, 'path'>,
  { params, query }: Pick<HttpRequest, 'params' | 'query'>,
): Promise<string | undefined> {
  const [, noun = ''] = path.split('/');
  if (noun === 'merchants') return params.id;
  const table = tables[noun];
  if (table !== undefined && params.id !== undefined) {
    return columnOf(database, `SELECT merchant_id AS id FROM ${table} WHERE id = $1`, params.id);
  }
  const key = query.get('key');
  if (noun === '' && key !== null) {
    return columnOf(database, 'SELECT id FROM merchant WHERE key = $1', key.replaceAll('\0', ''));
  }
  return query.get('filter[merchantId]')?.toLowerCase();
}

async function columnOf(
  database: Queryable,
  sql: string,
  value: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ id: string }>(sql, [value]);
  return row?.id;
}

/** How a request would be handled, without the fault. */
export interface Handling {
  /** Handles the request. Its errors have become responses. */
  readonly handle: () => Promise<HttpResponse>;
  /** Handles a read with the records as they were some time ago. */
  readonly handleAsOf: (agoMs: number) => Promise<HttpResponse>;
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal;
}

/** Applies a fault to a request. */
async function applyFault(
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
