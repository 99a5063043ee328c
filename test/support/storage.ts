import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Storage } from '../../src/database/open.ts';
import { createDatabase } from './postgres-server.ts';

/** A new folder; removed when all tests have ended, if not before. */
export function scratchFolder(): string {
  return mkdtempSync(join(inject('scratch'), 'folder-'));
}

/** A new DATA_DIR with the demo data and no money operations. */
export function preparedDataDir(): string {
  const folder = scratchFolder();
  cpSync(inject('dataDirTemplate'), folder, { recursive: true });
  return folder;
}

/** Empty storage of the test project's kind. */
export async function emptyStorage(): Promise<Storage> {
  return inject('database') === 'PostgreSQL'
    ? { databaseUrl: await createDatabase(inject('postgresUrl')) }
    : { dataDir: scratchFolder() };
}

/** Storage of the test project's kind with the demo data and no money operations. */
export async function preparedStorage(): Promise<Storage> {
  return inject('database') === 'PostgreSQL'
    ? { databaseUrl: await preparedPostgres() }
    : { dataDir: preparedDataDir() };
}

/** Address of a PostgreSQL database with the demo data and no money operations. */
export function preparedPostgres(): Promise<string> {
  return createDatabase(inject('postgresUrl'), inject('postgresTemplate'));
}
