import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const installed = `${folder}node_modules/.package-lock.json`;

/**
 * Installs the packages of other servers from their own lock file, unless they are there. The
 * product itself stays quick to install. Returns why it failed, if it did.
 */
export function installPeers(): string | undefined {
  try {
    install();
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.log(`The other servers cannot be installed: ${reason}`);
    return `cannot be installed: ${reason}`;
  }
}

function install(): void {
  const isFresh =
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(`${folder}package-lock.json`).mtimeMs;
  if (isFresh) return;
  console.log('Installing the servers to compare with, from bench/package-lock.json.');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
}
