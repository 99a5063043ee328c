import { openAsBlob } from 'node:fs';
import { inject } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { createDatabase } from './postgres-server.ts';

/** Where a new, empty sandbox of this test project keeps its records. */
export async function emptyStorage(): Promise<Pick<SandboxOptions, 'databaseUrl' | 'template'>> {
  return inject('database') === 'PostgreSQL'
    ? { databaseUrl: await createDatabase(inject('postgresUrl')) }
    : { template: await openAsBlob(inject('template')) };
}

/** A sandbox with the demo data on free ports, on the database of this test project. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ ...(await emptyStorage()), ...options });
}
