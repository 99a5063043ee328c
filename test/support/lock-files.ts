import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles } from '../docs/documents.ts';
import { projectFolder } from './program.ts';

/** A package as a lock file has it. */
export interface LockedPackage {
  /** The lock file. */
  readonly file: string;
  /** Where it is installed, from the folder of the lock file. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  /** It, or what needs it, is only for development. */
  readonly dev?: true;
  readonly optional?: true;
  /** It is a folder of the project. */
  readonly link?: true;
  readonly hasInstallScript?: true;
}

/** The lock files of the project and of the packages inside it. */
export const lockFiles = findFiles('', 'package-lock.json');

/** Every package of every lock file. */
export const lockedPackages: readonly LockedPackage[] = lockFiles.flatMap((file) => {
  // Written by npm.
  const { packages }: { packages: Record<string, Omit<LockedPackage, 'file' | 'path' | 'name'>> } =
    JSON.parse(readFileSync(join(projectFolder, file), 'utf8'));
  return (
    Object.entries(packages)
      // Not the project itself, and what is a part of it.
      .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
      .map(([path, found]) => ({
        name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
        ...found,
        file,
        path,
      }))
  );
});

/** What an installation without development packages and optional ones has, such as the image. */
export const shipped = lockedPackages.filter(
  ({ file, dev, optional }) => file === 'package-lock.json' && dev !== true && optional !== true,
);
