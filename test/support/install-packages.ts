import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Installs the packages of a folder that has its own lock file, if the lock file is newer. */
export async function installPackages(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules/.package-lock.json');
  const lock = join(folder, 'package-lock.json');
  const isFresh = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
  if (!isFresh) {
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  }
}
