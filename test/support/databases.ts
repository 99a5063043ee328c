import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dataDir as emptyDatabase } from '@electric-sql/pglite-prepopulatedfs';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Which database a project's sandboxes and gateways are on. */
    readonly database: 'PGlite' | 'PostgreSQL';
    /** Administrator's address of the PostgreSQL that all tests share. */
    readonly postgresUrl: string;
    /** Tar file with the data folder of an empty PGlite. */
    readonly template: string;
  }
}

/** Gives all tests one PostgreSQL, on which every file makes its own databases, and one empty PGlite. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-template-'));
  const template = join(folder, 'template.tar');
  const [server] = await Promise.all([startPostgres(), writeEmptyDatabase(template)]);
  project.provide('postgresUrl', server.url);
  project.provide('template', template);
  return async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
  };
}

/** Unpacked once, so that no test spends time on it. */
async function writeEmptyDatabase(file: string): Promise<void> {
  const packed = await emptyDatabase();
  writeFileSync(file, gunzipSync(await packed.arrayBuffer()));
}
