import { type Fault, passOn } from '../../support/fault-proxy.ts';

/** The service never receives the request, and the connection breaks. */
export const loseRequest: Fault = (_forward, response) => {
  response.destroy();
};

/** The service performs the request; its answer is lost. */
export const loseAnswer: Fault = async (forward, response) => {
  await forward();
  response.destroy();
};

/** The service performs the request; the caller receives another answer. */
export function replaceAnswer(status: number, body: string, type = 'application/json'): Fault {
  return async (forward, response) => {
    await forward();
    response.writeHead(status, { 'content-type': type }).end(body);
  };
}

/** The service never receives the request; the caller receives this answer. */
export function answerWith(status: number, body: string): Fault {
  return (_forward, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
}

/** The service performs the request; the JSON of its answer is changed on the way. */
export function changeJson(
  // biome-ignore lint/suspicious/noExplicitAny: answers of the service have any shape
  change: (body: any) => unknown,
): Fault {
  return async (forward, response) => {
    const { status, type, body } = await forward();
    response.writeHead(status, { 'content-type': type });
    response.end(JSON.stringify(change(JSON.parse(String(body)))));
  };
}

/** Requests that wait in front of the service. */
export interface HeldRequests {
  readonly fault: Fault;
  /** Resolves when the first request has arrived. */
  readonly arrived: Promise<void>;
  /** Lets them all continue. */
  release(): void;
}

/** Holds requests until `release`. */
export function holdRequests(): HeldRequests {
  const arrival = signal();
  const release = signal();
  return {
    fault: async (...exchange) => {
      arrival.send();
      await release.sent;
      await passOn(...exchange);
    },
    arrived: arrival.sent,
    release: release.send,
  };
}

/** An event that happens once. */
export function signal(): { readonly sent: Promise<void>; send(): void } {
  let send = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { sent, send: () => send() };
}
