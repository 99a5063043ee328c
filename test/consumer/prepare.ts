import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { installPackages } from '../support/install-packages.ts';
import { generate } from './generate.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The file that says how the preparation of the consumers has ended: why it failed, if it did. */
    readonly prepared: string;
  }
}

const run = promisify(execFile);
const schema = fileURLToPath(new URL('../../schema', import.meta.url));

/** Folders with packages of their own. gql.tada needs TypeScript 5, the others use a newer one. */
const folders = ['.', './tada'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** Prepares the consumers while other tests run. Their own tests wait for it, in `ready.ts`. */
export function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-consumer-'));
  const prepared = join(folder, 'prepared');
  project.provide('prepared', prepared);
  const work = install(folder)
    .then(generate)
    .then(
      () => '',
      (error: Error) => error.stack ?? error.message,
    )
    .then((reason) => {
      writeFileSync(`${prepared}.new`, reason);
      renameSync(`${prepared}.new`, prepared);
    });
  return async () => {
    await work;
    rmSync(folder, { recursive: true });
  };
}

/**
 * Installs the consumers' packages if a lock file is newer than they are, and the packed schema
 * as its users do. The project itself stays quick to install.
 */
async function install(packed: string): Promise<void> {
  await run('npm', ['pack', '--silent', '--pack-destination', packed, schema]);
  for (const folder of folders) {
    await installPackages(folder);
    await unpack(join(packed, 'tillgraph-schema-0.1.0.tgz'), join(folder, 'node_modules'));
  }
}

/** What `npm install` does with a packed package without dependencies. */
async function unpack(file: string, modules: string): Promise<void> {
  const folder = join(modules, 'tillgraph-schema');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  await run('tar', ['-xzf', file, '-C', folder, '--strip-components=1']);
}
