import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../support/program.ts';
import { scratchFolder } from '../support/storage.ts';
import type { Manifest } from './manifests.ts';

const COMPILER = join(projectFolder, 'node_modules/typescript/bin/tsc');
const OPTIONS = '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --module preserve';

/**
 * What the types of the Kubernetes API reject of each object: names of fields that they do not
 * have, values of other types, and fields that are missing.
 */
export function typeErrors(objects: readonly Manifest[]): Promise<string[][]> {
  const file = join(scratchFolder(), 'manifests.ts');
  const lines = objects.map(
    (object, index) =>
      `export const object${index}: ${typeOf(object)} = ${JSON.stringify(object)};`,
  );
  writeFileSync(file, lines.join('\n'));
  return new Promise((resolve, reject) => {
    const args = [COMPILER, ...OPTIONS.split(' '), '--ignoreConfig', '--types', '', file];
    execFile(process.execPath, args, (error, stdout) => {
      const found = stdout.split('\n').filter((line) => line.includes('error TS'));
      if (error !== null && found.length === 0) return reject(error);
      const isElsewhere = (line: string) => !/manifests\.ts\(\d+,/.test(line);
      if (found.some(isElsewhere)) return reject(new Error(stdout));
      resolve(lines.map((_, index) => found.filter((line) => line.includes(`(${index + 1},`))));
    });
  });
}

function typeOf({ apiVersion, kind }: Manifest): string {
  const [version, group = 'core.'] = apiVersion.split('/').reverse();
  const path = `kubernetes-types/${group.split('.')[0]}/${version}`;
  return `import(${JSON.stringify(join(projectFolder, 'node_modules', path))}).${kind}`;
}
