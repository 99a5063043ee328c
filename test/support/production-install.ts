import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFolder } from './program.ts';
import { scratchFolder } from './storage.ts';

/**
 * The program and the packages that it needs, without any development package, as
 * `npm ci --omit=dev --omit=optional` leaves them.
 */
export function installForProduction(): string {
  const folder = scratchFolder();
  copyParts(['package.json', 'bin', 'schema', 'src'], folder);
  for (const path of productionPackages()) {
    const link = join(folder, path);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(projectFolder, path), link, 'junction');
  }
  return folder;
}

/** The same in a given folder with these parts of the project, and with copies of the packages. */
export function copyForProduction(parts: readonly string[], folder: string): void {
  copyParts([...parts, ...productionPackages()], folder);
}

function copyParts(parts: readonly string[], folder: string): void {
  for (const part of parts) {
    cpSync(join(projectFolder, part), join(folder, part), { recursive: true });
  }
}

type Kind = 'dev' | 'devOptional' | 'optional' | 'link';

/** Paths of the packages that are installed without development packages. */
function productionPackages(): string[] {
  // Written by npm.
  const lock: { packages: Record<string, Partial<Record<Kind, true>>> } = JSON.parse(
    readFileSync(join(projectFolder, 'package-lock.json'), 'utf8'),
  );
  return Object.entries(lock.packages)
    .filter(([, { dev, devOptional, optional, link }]) => !(dev || devOptional || optional || link))
    .map(([path]) => path)
    .filter((path) => path.lastIndexOf('node_modules/') === 0);
}
