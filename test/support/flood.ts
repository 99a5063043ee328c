import { Agent, request } from 'node:http';

/** A request of a flood, and what came back. */
export interface Sent {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back. */
export interface Received {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends many POST requests over few connections, some of them at once, and passes each answer on
 * as it arrives. Rejects if a connection breaks.
 */
export async function flood(
  url: string,
  count: number,
  make: (index: number) => Sent,
  onAnswer: (received: Received, index: number) => void,
  atOnce = 32,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) {
      onAnswer(await post(url, agent, make(index)), index);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    agent.destroy();
  }
}

/** Sends a POST request. Rejects if the connection breaks. */
export function post(url: string, agent: Agent, { body, headers }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject).end(body);
  });
}
