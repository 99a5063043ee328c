import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';
import { createEmbedded } from '../../src/database/embedded.ts';
import type { Storage } from '../../src/database/open.ts';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { patientStore } from './patience.ts';
import { createDatabase, startPostgres } from './postgres-server.ts';
import { QUICK_START } from './project.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Which database the sandboxes and gateways of a project use. */
    readonly database: 'PGlite' | 'PostgreSQL';
    /** How often tests that repeat something do so: 1 in the everyday suite. */
    readonly scale: number;
    /** Flags of Node for the workers of a project and for the programs that its tests start. */
    readonly nodeFlags: readonly string[];
    /** Administrator's address of the PostgreSQL server that all tests share. */
    readonly postgresUrl: string;
    /** Name of a database on that server as both programs leave it after their first start. */
    readonly postgresTemplate: string;
    /** A DATA_DIR as both programs leave it after their first start. */
    readonly dataDirTemplate: string;
    /** Folder for files of tests, removed at the end. */
    readonly scratch: string;
  }
}

/**
 * Starts one PostgreSQL server for all tests, and both programs once on it and once on
 * PGlite: a test copies the result, which is faster than a first start of its own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  for (const flag of QUICK_START) setFlagsFromString(flag);
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-test-'));
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  const dataDir = join(folder, 'template');
  // PostgreSQL starts in processes of its own, and PGlite meanwhile in this one.
  const [{ server, databaseUrl }] = await Promise.all([preparePostgres(), prepareDataDir(dataDir)]);
  project.provide('postgresUrl', server.url);
  project.provide('postgresTemplate', new URL(databaseUrl).pathname.slice(1));
  project.provide('dataDirTemplate', dataDir);
  project.provide('scratch', scratch);
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function preparePostgres() {
  const server = await startPostgres();
  const databaseUrl = await createDatabase(server.url);
  await startOnce({ databaseUrl });
  return { server, databaseUrl };
}

/** What both programs do at their first start. */
async function startOnce(storage: Storage): Promise<void> {
  const sandbox = await startSandbox(storage);
  const store = await openStore({ ...storage, ...patientStore });
  await store.close();
  await sandbox.close();
}

async function prepareDataDir(dataDir: string): Promise<void> {
  await startOnce({ embedded: createEmbedded({ dataDir }) });
  // The databases that nobody connects to are two thirds of the files.
  const lite = await PGlite.create({ dataDir: join(dataDir, 'database') });
  await lite.exec('UPDATE pg_database SET datistemplate = false');
  for (const name of ['template0', 'template1']) await lite.exec(`DROP DATABASE ${name}`);
  await lite.close();
}
