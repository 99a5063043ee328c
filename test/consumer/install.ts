import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const installed = `${folder}node_modules/.package-lock.json`;
const link = `${folder}node_modules/tillgraph`;

/**
 * Installs the consumer's packages if the lock file is newer than they are, and links
 * Tillgraph into them as `npm link` does. The project itself stays quick to install.
 */
export function setup(): void {
  const fresh =
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(`${folder}package-lock.json`).mtimeMs;
  if (!fresh) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  }
  rmSync(link, { force: true });
  symlinkSync('../../..', link, 'junction');
}
