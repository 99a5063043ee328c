import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type LockedPackage, lockedPackages, lockFiles, shipped } from '../support/lock-files.ts';
import { projectFolder } from '../support/program.ts';
import { read } from './manifests.ts';

/** Licences of what is in the image: they ask for no more than to be named. */
const SHIPPED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];

/** Licences of packages that are only run here, and never given to others. */
const RUN_HERE = [...SHIPPED, 'BSD-2-Clause', 'CC-BY-4.0', 'MPL-2.0', 'Python-2.0'];

/** Packages with another licence, by name. All of them are only in tests. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  '@apollo/composition': 'Elastic-2.0',
  '@apollo/federation-internals': 'Elastic-2.0',
  '@apollo/query-graphs': 'Elastic-2.0',
};

/** Whether a licence, which may be a choice or several, is allowed. */
function isAllowed(license: string | undefined, allowed: readonly string[]): boolean {
  const text = (license ?? '').replace(/[()]/g, '');
  return text
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => allowed.includes(one)));
}

const describe = ({ file, path, version, license }: LockedPackage) =>
  `${file}: ${path} ${version} ${license}`;

test('every package in the image has a licence that is allowed there', () => {
  expect(shipped.length).toBeGreaterThan(50);
  expect(shipped.filter(({ license }) => !isAllowed(license, SHIPPED)).map(describe)).toEqual([]);
});

test('every other package has a licence that is allowed for development', () => {
  const rejected = lockedPackages.filter(
    ({ name, license }) => !isAllowed(license, RUN_HERE) && EXCEPTIONS[name] !== license,
  );
  expect(rejected.map(describe)).toEqual([]);
  const names = new Set(lockedPackages.map(({ name }) => name));
  expect(Object.keys(EXCEPTIONS).filter((name) => !names.has(name))).toEqual([]);
});

test('the licence of an installed package is the one of the lock file', () => {
  const installed = shipped.filter(({ path }) => existsSync(join(projectFolder, path)));
  expect(installed.length).toBeGreaterThan(50);
  const different = installed.filter(({ path, version, license }) => {
    const found = JSON.parse(read(`${path}/package.json`));
    return found.version !== version || found.license !== license;
  });
  expect(different.map(describe)).toEqual([]);
});

test.each([
  [undefined, false],
  ['GPL-3.0', false],
  ['MIT OR GPL-3.0', true],
  ['(MIT AND GPL-3.0)', false],
  ['(MIT AND BSD-3-Clause)', true],
])('the licence %s is allowed: %s', (license, allowed) => {
  expect(isAllowed(license, SHIPPED)).toBe(allowed);
});

test('every package of a lock file has a checksum, and comes from one registry', () => {
  expect(lockFiles.length).toBeGreaterThan(1);
  const isSha512 = ({ integrity }: LockedPackage) => /^sha512-[\w+/]{86}==$/.test(integrity ?? '');
  expect(lockedPackages.filter((locked) => !isSha512(locked)).map(describe)).toEqual([]);
  // npm can leave addresses out. Then they come from the registry that npm is set to.
  const addresses = lockedPackages.flatMap(({ resolved }) => resolved ?? []);
  expect(addresses.filter((address) => !address.startsWith('https://'))).toEqual([]);
  expect(new Set(addresses.map((address) => new URL(address).host)).size).toBeLessThan(2);
});

test('a name and version has one checksum, in whatever lock file it is', () => {
  const found = new Map<string, Set<string | undefined>>();
  for (const { name, version, integrity } of lockedPackages) {
    const key = `${name}@${version}`;
    found.set(key, (found.get(key) ?? new Set()).add(integrity));
  }
  expect([...found].filter(([, sums]) => sums.size > 1).map(([key]) => key)).toEqual([]);
});

test.each(lockFiles)('%s has the packages that its package.json asks for', (file) => {
  const [root, asked] = [file, file.replace(/-lock\.json$/, '.json')].map((path) =>
    JSON.parse(readFileSync(join(projectFolder, path), 'utf8')),
  );
  for (const kind of ['dependencies', 'devDependencies', 'engines', 'bin']) {
    expect(root.packages[''][kind], kind).toEqual(asked[kind]);
  }
});

test('no package in the image has an install script', () => {
  expect(shipped.filter(({ hasInstallScript }) => hasInstallScript).map(describe)).toEqual([]);
});

test('`npm run sbom` lists every package of the image', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
    cwd: projectFolder,
    maxBuffer: 16 * 1_024 ** 2,
  });
  const { bomFormat, components } = JSON.parse(stdout);
  expect(bomFormat).toBe('CycloneDX');
  const listed = components.map(
    ({ group, name, version }: Record<string, string>) =>
      `${group === undefined ? '' : `${group}/`}${name}@${version}`,
  );
  const installed = shipped.filter(({ path }) => existsSync(join(projectFolder, path)));
  const expected = new Set(installed.map(({ name, version }) => `${name}@${version}`));
  expect(new Set(listed)).toEqual(expected);
});
