import { type HttpRequest, type HttpResponse, sendHttp } from './http-client.ts';

/** A complete answer of a REST service. */
export interface RestAnswer extends HttpResponse {
  /** The parsed body; `undefined` if it was empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
  readonly body: any;
}

/** Calls a REST service as any HTTP client does, with nothing but its address. */
export interface RestCaller {
  readonly url: string;
  get(path: string): Promise<RestAnswer>;
  post(path: string, body?: unknown): Promise<RestAnswer>;
  put(path: string, body?: unknown): Promise<RestAnswer>;
  patch(path: string, body?: unknown): Promise<RestAnswer>;
  delete(path: string): Promise<RestAnswer>;
  /** Sends any request, GET if nothing else is given. */
  send(path: string, init: Partial<HttpRequest>): Promise<RestAnswer>;
}

/** Creates a caller of the service at `url`. A key is sent as the password of HTTP Basic. */
export function rest(url: string, key?: string): RestCaller {
  const authorization: Record<string, string> =
    key === undefined ? {} : { authorization: `Basic ${btoa(`:${key}`)}` };

  async function send(path: string, init: Partial<HttpRequest>): Promise<RestAnswer> {
    const response = await sendHttp(url + path, {
      method: 'GET',
      ...init,
      headers: { ...authorization, ...init.headers },
      // An idle connection could be closed before it is used again, if the process was busy.
      reset: true,
    });
    const { text } = response;
    return { ...response, body: text === '' ? undefined : JSON.parse(text) };
  }

  function withBody(method: string) {
    return (path: string, body?: unknown) =>
      send(path, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
  }
  return {
    url,
    send,
    get: (path) => send(path, { method: 'GET' }),
    delete: (path) => send(path, { method: 'DELETE' }),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
  };
}
