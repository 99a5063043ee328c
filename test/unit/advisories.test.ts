import { expect, test } from 'vitest';
import { lockedPackages, shipped } from '../support/lock-files.ts';

/** The first versions without faults that are public, and the advisories that report these. */
const LEAST: [name: string, version: string, why: string][] = [
  ['find-my-way', '9.0.1', 'CVE-2024-45813'],
  ['graphql', '16.15.0', 'CVE-2023-26144, and the bound of the overlap check'],
  ['graphql-yoga', '5.24.1', 'prototype pollution by multipart, bodies without a bound'],
  ['jose', '4.15.5', 'CVE-2024-28176'],
  ['nodemailer', '7.0.11', 'CVE-2025-13033, CVE-2025-14874'],
  ['pg', '7.1.2', 'CVE-2017-16082'],
  [
    'undici',
    '7.30.2',
    'CVE-2026-1525, CVE-2026-2581, CVE-2026-6733, CVE-2026-13697, CVE-2026-116630',
  ],
  ['zod', '3.22.3', 'CVE-2023-4316'],
];

/** Versions that strangers published in September 2025, with code that steals. */
const STOLEN = [
  ...['ansi-regex@6.2.1', 'ansi-styles@6.2.2', 'backslash@0.2.1', 'chalk@5.6.1'],
  ...['chalk-template@1.1.1', 'color@5.0.1', 'color-convert@3.1.1', 'color-name@2.0.1'],
  ...['color-string@2.1.1', 'debug@4.4.2', 'error-ex@1.3.3', 'has-ansi@6.0.1'],
  ...['is-arrayish@0.3.3', 'simple-swizzle@0.2.3', 'slice-ansi@7.1.1', 'strip-ansi@7.1.1'],
  ...['supports-color@10.2.1', 'supports-hyperlinks@4.1.1', 'wrap-ansi@9.0.1'],
];

/** Packages without a version that is free of a known fault. */
const UNFIXED: [name: string, why: string][] = [['fast-redact', 'CVE-2025-57319']];

test.each(LEAST)('%s is at least %s (%s)', (name, least) => {
  const installed = shipped.filter((locked) => locked.name === name);
  expect(installed.length).toBeGreaterThan(0);
  for (const { version } of installed) expect(compare(version, least)).toBeGreaterThanOrEqual(0);
});

test('no lock file has a version that was published by a thief', () => {
  const locked = new Set(lockedPackages.map(({ name, version }) => `${name}@${version}`));
  expect(STOLEN.filter((stolen) => locked.has(stolen))).toEqual([]);
});

test.each(UNFIXED)('%s is not installed (%s)', (name) => {
  expect(shipped.filter((locked) => locked.name === name)).toEqual([]);
});

function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  for (const index of [0, 1, 2]) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
