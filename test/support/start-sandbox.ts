import { inject } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { createDatabase } from './postgres-server.ts';

/** Where a new, empty sandbox of this test project keeps its records. */
export async function emptyStorage(): Promise<Pick<SandboxOptions, 'databaseUrl'>> {
  const server = inject('postgresUrl');
  return server === undefined ? {} : { databaseUrl: await createDatabase(server) };
}

/** A sandbox with the demo data on free ports, on the database of this test project. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ ...(await emptyStorage()), ...options });
}
