import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFolder } from './program.ts';
import { scratchFolder } from './storage.ts';

/**
 * A folder as `npm run build` and `npm prune --omit=dev` leave it: the compiled program and
 * the packages that it needs, without any development package.
 */
export function installForProduction(): string {
  const folder = scratchFolder();
  copyParts(['package.json', 'bin', 'dist', 'schema', 'src'], folder);
  for (const path of productionPackages()) {
    const link = join(folder, path);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(projectFolder, path), link, 'junction');
  }
  return folder;
}

/** The same in a given folder with these parts of the project, and with copies of the packages. */
export function copyForProduction(parts: readonly string[], folder: string): void {
  copyParts([...parts, 'dist', ...productionPackages()], folder);
}

function copyParts(parts: readonly string[], folder: string): void {
  for (const part of parts) {
    cpSync(join(projectFolder, part), join(folder, part), { recursive: true });
  }
}

/** Paths of the packages that are installed without development packages. */
function productionPackages(): string[] {
  // Written by npm.
  const lock: { packages: Record<string, { dev?: true; devOptional?: true; optional?: true }> } =
    JSON.parse(readFileSync(join(projectFolder, 'package-lock.json'), 'utf8'));
  return Object.entries(lock.packages)
    .filter(
      ([path, { dev, devOptional, optional }]) => path !== '' && !(dev || devOptional || optional),
    )
    .map(([path]) => path)
    .filter((path) => path.lastIndexOf('node_modules/') === 0);
}
