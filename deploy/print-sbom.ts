import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `npm run sbom` prints what an installation without development packages and optional ones has, in CycloneDX.
 * `npm sbom --omit dev` leaves out each package that a development package needs, too.
 */
const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));

const { devDependencies: _, workspaces: ___, ...asked } = read('package.json');
const { packages, ...lock } = read('package-lock.json');
const { devDependencies: __, workspaces: ____, ...root } = packages[''];
const shipped = Object.entries<Partial<Record<'dev' | 'optional' | 'link', true>>>(packages).filter(
  ([path, { dev, optional, link }]) =>
    path.startsWith('node_modules/') && !(dev || optional || link),
);

const scratch = mkdtempSync(join(tmpdir(), 'tillgraph-sbom-'));
// The name of the folder is the name of the root.
const folder = join(scratch, 'tillgraph');
mkdirSync(folder);
try {
  const write = (name: string, content: object) =>
    writeFileSync(join(folder, name), JSON.stringify(content));
  write('package.json', asked);
  write('package-lock.json', {
    ...lock,
    packages: { '': root, ...Object.fromEntries(shipped) },
  });
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  execFileSync('npm', [...args, '--package-lock-only'], { cwd: folder, stdio: 'inherit' });
} finally {
  rmSync(scratch, { recursive: true });
}
