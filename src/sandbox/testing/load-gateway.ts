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
