import { type Dispatcher, request } from 'undici';

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Whether the connection is closed afterwards. */
  readonly reset?: boolean;
}

/** The connection was refused, or broke before the end of the response. */
export class CutOffError extends Error {
  constructor(cause: unknown) {
    super(`The connection broke: ${cause}`, { cause });
  }
}

/**
 * Sends a request and reads the response, with a third less CPU than `fetch`. Rejects with
 * {@link CutOffError} if the connection breaks, and with the reason of an aborted signal.
 */
export async function sendHttp(url: string, sent: HttpRequest): Promise<HttpResponse> {
  try {
    const { statusCode, headers, body } = await request(url, {
      ...sent,
      // The servers decide which methods there are.
      method: sent.method as Dispatcher.HttpMethod,
    });
    return { status: statusCode, headers: toHeaders(headers), text: await body.text() };
  } catch (error) {
    throw sent.signal?.aborted ? sent.signal.reason : new CutOffError(error);
  }
}

function toHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(raw)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}
