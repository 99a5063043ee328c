import { createClient, type ExecutionResult } from 'graphql-sse';

/** A message of a subscription. */
// biome-ignore lint/suspicious/noExplicitAny: tests read data of any shape
export type Sent = ExecutionResult<any, { readonly code?: string; readonly cursor?: string }>;

/** A subscription that a test reads message by message. */
export interface Subscribed {
  /** The next message. Rejects if the subscription has ended. */
  next(): Promise<Sent>;
  /** Everything until the subscription ends. */
  rest(): Promise<Sent[]>;
  close(): Promise<void>;
}

/** Subscribes as users do, with the client `graphql-sse`; it does not connect again. */
export function subscribe(
  url: string,
  key: string,
  query: string,
  variables: Record<string, unknown> = {},
): Subscribed {
  const client = createClient({
    url: `${url}/graphql`,
    headers: { authorization: `Bearer ${key}` },
    retryAttempts: 0,
  });
  const messages = client.iterate({ query, variables });
  return {
    next: async () => {
      const { value, done } = await messages.next();
      if (done === true) throw new Error('The subscription has ended.');
      return value as Sent;
    },
    rest: async () => {
      const all: Sent[] = [];
      for await (const message of messages) all.push(message as Sent);
      return all;
    },
    close: async () => {
      await messages.return?.();
    },
  };
}
