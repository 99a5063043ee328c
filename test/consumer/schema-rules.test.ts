import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const eslint = 'test/consumer/node_modules/eslint/bin/eslint.js';
const printed = readFileSync(`${root}schema/schema.graphql`, 'utf8');

/** The names of the rules that a schema violates, from the presets for schemas and for Relay. */
function violations(sdl: string): string[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      eslint,
      ...['--config', 'test/consumer/eslint.config.js', '--format', 'json'],
      ...['--stdin', '--stdin-filename', 'schema/schema.graphql'],
    ],
    { cwd: root, input: sdl, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  // The format of ESLint's JSON formatter.
  const [{ messages }] = JSON.parse(stdout) as [{ messages: { ruleId: string }[] }];
  return messages.map(({ ruleId }) => ruleId.replace('@graphql-eslint/', ''));
}

test('the printed schema violates no rule, except for the listed exceptions', () => {
  expect(violations(printed)).toEqual([]);
});

test('a type without description or id, and a connection without page info, are found', () => {
  const bad = `${printed}
    type Bare { name: String }
    "A list." type BareConnection { "Its edges." edges: [UserEdge] }`;
  expect(violations(bad)).toEqual(
    expect.arrayContaining([
      'require-description',
      'strict-id-in-types',
      'relay-connection-types',
      'no-unreachable-types',
    ]),
  );
});
