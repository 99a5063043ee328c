/** The response of a handler. The server adds the headers that every response has. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Omitted if the response has no body. */
  readonly body?: string;
}

const json = { 'content-type': 'application/json; charset=utf-8' };

/** Creates a response with one JSON value on one line. */
export function jsonResponse(status: number, body: unknown, headers = {}): HttpResponse {
  return { status, headers: { ...json, ...headers }, body: JSON.stringify(body) };
}

/** Creates a response without a body and without a content type. */
export function emptyResponse(status: number, headers = {}): HttpResponse {
  return { status, headers };
}

/** Creates a list of the payments service: a JSON array with one element per line. */
export function listResponse(elements: readonly unknown[]): HttpResponse {
  const lines = elements.map((element) => JSON.stringify(element)).join(',\n');
  return { status: 200, headers: json, body: lines === '' ? '[\n]' : `[\n${lines}\n]` };
}

/** The fault that affected a request. */
interface Affecting {
  readonly id: string;
  readonly kind: string;
}

/** What a caller gets: a response, half of one, or none. */
export type Outcome =
  | {
      readonly kind: 'complete' | 'half';
      readonly response: HttpResponse;
      readonly fault?: Affecting;
    }
  /** The connection is closed, or kept open, without a response. */
  | { readonly kind: 'closed'; readonly fault: Affecting }
  | { readonly kind: 'open'; readonly fault: Affecting };
