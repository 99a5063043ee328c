import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** File with an empty data directory of PGlite's: making one takes seconds, loading it does not. */
    readonly template?: string;
  }
}

/** Makes one empty data directory for all files of a project. */
export async function setup(project: TestProject): Promise<() => void> {
  const lite = await PGlite.create();
  const dump = await lite.dumpDataDir('none');
  await lite.close();
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-template-'));
  const file = join(folder, 'template.tar');
  writeFileSync(file, Buffer.from(await dump.arrayBuffer()));
  project.provide('template', file);
  return () => rmSync(folder, { recursive: true, force: true });
}
