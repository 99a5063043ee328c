import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Which database a project's sandboxes and gateways are on. */
    readonly database: 'PGlite' | 'PostgreSQL';
    /** Administrator's address of the PostgreSQL that all tests share. */
    readonly postgresUrl: string;
    /** File with an empty data directory of PGlite's: making one takes seconds, loading it does not. */
    readonly template: string;
  }
}

/** Gives all tests one PostgreSQL, on which every file makes its own databases, and one empty PGlite. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-template-'));
  const template = join(folder, 'template.tar');
  const [server] = await Promise.all([startPostgres(), writeEmptyPglite(template)]);
  project.provide('postgresUrl', server.url);
  project.provide('template', template);
  return async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
  };
}

async function writeEmptyPglite(file: string): Promise<void> {
  const lite = await PGlite.create();
  const dump = await lite.dumpDataDir('none');
  await lite.close();
  writeFileSync(file, Buffer.from(await dump.arrayBuffer()));
}
