import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { projectFolder } from '../support/program.ts';

/** The first versions without faults that are public, and the advisories that report these. */
const LEAST: [name: string, version: string, why: string][] = [
  [
    'undici',
    '7.30.2',
    'CVE-2026-1525, CVE-2026-2581, CVE-2026-6733, CVE-2026-13697, CVE-2026-116630',
  ],
  ['graphql', '16.15.0', 'CVE-2023-26144, and the bound of the overlap check'],
  ['graphql-yoga', '5.24.1', 'prototype pollution by multipart, bodies without a bound'],
];

test.each(LEAST)('%s is at least %s (%s)', (name, least) => {
  const installed = versionOf(name);
  expect(compare(installed, least)).toBeGreaterThanOrEqual(0);
});

/** As the lock file has it. */
function versionOf(name: string): string {
  const lock = JSON.parse(readFileSync(`${projectFolder}package-lock.json`, 'utf8'));
  const found = Object.entries<{ version: string }>(lock.packages).filter(([path]) =>
    path.endsWith(`node_modules/${name}`),
  );
  const versions = found.map(([, { version }]) => version).sort(compare);
  expect(versions.length).toBeGreaterThan(0);
  return versions[0] ?? '';
}

function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  for (const index of [0, 1, 2]) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
