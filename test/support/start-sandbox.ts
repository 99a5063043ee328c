import { openAsBlob } from 'node:fs';
import { inject } from 'vitest';
import { createEmbedded, type Embedded } from '../../src/database/embedded.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { createDatabase } from './postgres-server.ts';

/** Storage for a new, empty sandbox, on the database of this test project. */
export async function emptyStorage(): Promise<Pick<SandboxOptions, 'databaseUrl' | 'embedded'>> {
  return inject('database') === 'PostgreSQL'
    ? { databaseUrl: await createDatabase(inject('postgresUrl')) }
    : { embedded: await emptyEmbedded() };
}

/** An empty embedded database in memory. */
export async function emptyEmbedded(): Promise<Embedded> {
  return createEmbedded({ template: await openAsBlob(inject('template')) });
}

/** A sandbox with the demo data on free ports, on the database of this test project unless one is given. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { databaseUrl, embedded, dataDir } = options;
  const given = databaseUrl ?? embedded ?? dataDir;
  return startSandbox(given === undefined ? { ...options, ...(await emptyStorage()) } : options);
}
