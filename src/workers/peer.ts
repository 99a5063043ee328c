/** Functions that a process offers to another one. What they take and return must fit JSON. */
export type Offer = { readonly [Name: string]: (...args: never[]) => unknown };

/** The other process. Both directions use the same messages. */
export interface Peer<Remote extends Offer> {
  /** Calls a function of the other process. Rejects if it fails, or if the connection ends. */
  call<Name extends keyof Remote & string>(
    name: Name,
    ...args: Parameters<Remote[Name]>
  ): Promise<Awaited<ReturnType<Remote[Name]>>>;
  /** Calls a function whose result nobody needs. Does nothing once the connection has ended. */
  tell<Name extends keyof Remote & string>(name: Name, ...args: Parameters<Remote[Name]>): void;
}

/** A channel for messages to one other process. */
export interface Channel {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  onEnd(listener: () => void): void;
}

type Message =
  | { readonly call: string; readonly args: unknown[]; readonly id?: number }
  | { readonly answer: number; readonly value?: unknown; readonly failed?: string };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Connects two processes, each with what it offers.
 *
 * @param onBug called if a function fails whose result nobody waits for
 */
export function connectPeer<Remote extends Offer>(
  channel: Channel,
  local: Offer,
  onBug: (error: unknown) => void,
): Peer<Remote> {
  const waiting = new Map<number, Waiting>();
  let nextId = 0;
  let isOpen = true;
  const send = (message: Message) => {
    if (isOpen) channel.send(message);
  };

  channel.onEnd(() => {
    isOpen = false;
    for (const { reject } of waiting.values()) reject(ended());
    waiting.clear();
  });
  channel.onMessage((received) => {
    // Only the other end of this channel can send, and it is the same program.
    const message = received as Message;
    if ('call' in message) return void answer(message);
    const caller = waiting.get(message.answer);
    waiting.delete(message.answer);
    if (message.failed === undefined) caller?.resolve(message.value);
    else caller?.reject(new Error(message.failed));
  });

  async function answer({ call, args, id }: Extract<Message, { call: string }>): Promise<void> {
    try {
      // The type of the peer allows only functions that are offered, with their arguments.
      const value = await local[call]?.(...(args as never[]));
      if (id !== undefined) send({ answer: id, value });
    } catch (error) {
      if (id === undefined) return onBug(error);
      send({ answer: id, failed: error instanceof Error ? error.message : String(error) });
    }
  }

  return {
    tell: (call, ...args) => send({ call, args }),
    call: (call, ...args) =>
      new Promise((resolve, reject) => {
        if (!isOpen) return reject(ended());
        const id = nextId++;
        // What arrives is what the function of the other process returned.
        waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
        send({ call, args, id });
      }),
  };
}

function ended(): Error {
  return new Error('The other process has ended.');
}
