import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../support/install-packages.ts';

const schema = fileURLToPath(new URL('../../schema', import.meta.url));

/** Folders with packages of their own. gql.tada needs TypeScript 5, the others use a newer one. */
const folders = ['.', './tada'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/**
 * Installs the consumer's packages if a lock file is newer than they are, and the packed schema
 * as its users do. The project itself stays quick to install.
 */
export function setup(): void {
  const packed = mkdtempSync(join(tmpdir(), 'tillgraph-schema-'));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', packed, schema]);
  for (const folder of folders) {
    installPackages(folder);
    unpack(join(packed, 'tillgraph-schema-0.1.0.tgz'), join(folder, 'node_modules'));
  }
  rmSync(packed, { recursive: true });
}

/** What `npm install` does with a packed package without dependencies. */
function unpack(file: string, modules: string): void {
  const folder = join(modules, 'tillgraph-schema');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', file, '-C', folder, '--strip-components=1']);
}
