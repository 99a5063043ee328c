import type { Storage } from '../../database/open.ts';
import { programFile } from '../../package-files.ts';
import type { TestStorage } from './shared-database.ts';

/** A gateway in front of a sandbox, as far as the sandbox knows it. */
export interface TestGateway {
  /** Address of its endpoint. */
  readonly url: string;
  /** Removes its store of money operations. */
  removeOperations(): Promise<void>;
  /** Calls the services again, as if no call had failed. */
  resumeCalls(): void;
  close(): Promise<void>;
}

interface Services {
  readonly usersUrl: string;
  readonly paymentsUrl: string;
  readonly posUrl: string;
  readonly demoApp: { readonly id: string; readonly key: string };
}

/** Starts a gateway. It is imported by name, because the two programs do not know each other. */
export async function startGateway(
  services: Services,
  { embedded, gatewaySchema: schema }: TestStorage,
): Promise<TestGateway> {
  // The compiler does not see what is imported by a name: test-gateway.ts has this function.
  const { startTestGateway } = (await import(programFile('start/test-gateway'))) as {
    startTestGateway(services: Services, storage: Storage): Promise<TestGateway>;
  };
  return startTestGateway(services, { embedded, schema });
}

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
