import { sendHttp } from './http-client.ts';

/** An answer of the gateway. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read data of any shape
  readonly data: any;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
}

/**
 * Sends one GraphQL operation. Without `key` it is sent with the default key; `null` sends none.
 * Rejects as {@link sendHttp} does, and if the body is not JSON.
 */
export type Ask = (
  query: string,
  variables?: object,
  key?: string | null,
  signal?: AbortSignal,
) => Promise<Answer>;

/** Creates the function that sends operations to the gateway at `url`, without `/graphql`. */
export function createAsk(url: string, defaultKey: string | null = null): Ask {
  return async (query, variables = {}, key = defaultKey, signal) => {
    const { status, text } = await sendHttp(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ query, variables }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status, ...parseBody(status, text) };
  };
}

function parseBody(status: number, text: string): Omit<Answer, 'status'> {
  try {
    // The shape that GraphQL over HTTP prescribes.
    return JSON.parse(text);
  } catch (cause) {
    const end = JSON.stringify(text.slice(-100));
    throw new Error(`Status ${status}, ${text.length} characters that end in ${end}`, { cause });
  }
}
