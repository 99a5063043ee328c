/** A response of the gateway. */
export interface GraphqlResponse<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

/** Sends an operation to the gateway with the key of the demo app. */
export type Graphql = <Data = unknown>(
  query: string,
  variables?: object,
) => Promise<GraphqlResponse<Data>>;

/** Creates the function that sends operations to a gateway; it rejects if there is none. */
export function createGraphql(url: string | undefined, key: string): Graphql {
  return async <Data>(query: string, variables: object = {}) => {
    if (url === undefined) throw new Error('Start the sandbox with `gateway: true`.');
    const response = await fetch(url, {
      method: 'POST',
      // An idle connection would keep the process of a test alive.
      headers: {
        ...{ 'content-type': 'application/json', connection: 'close' },
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify({ query, variables }),
    });
    // The gateway answers with JSON, whatever its status.
    return (await response.json()) as GraphqlResponse<Data>;
  };
}
