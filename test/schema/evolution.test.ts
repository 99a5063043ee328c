import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { unwrittenBreaks } from '../../schema/evolution.ts';

const SDL = 'type Query { user(id: ID!): String, users: [String!] }';
const before = { sdl: SDL, changes: '# Changes\n- Field Query.user was removed.' };

function breaks(sdl: string, entry = '') {
  return unwrittenBreaks(before, {
    sdl,
    changes: `# Changes\n${entry}\n- Field Query.user was removed.`,
  });
}

test.each([
  ['a field removed', 'type Query { user(id: ID!): String }', 'Field Query.users was removed.'],
  [
    'a field that became nullable',
    'type Query { user(id: ID!): String, users: [String] }',
    'Field Query.users changed type from [String!] to [String].',
  ],
  [
    'an argument that became required',
    'type Query { user(id: ID!): String, users(first: Int!): [String!] }',
    'A required argument Query.users(first:) was added.',
  ],
])(
  '%s breaks clients, and an entry with the sentence of the change allows it',
  (_, sdl, change) => {
    expect(breaks(sdl)).toEqual([change]);
    expect(breaks(sdl, `- ${change} Ask for something else.`)).toEqual([]);
  },
);

test('an entry of an earlier release does not allow a new change', () => {
  expect(breaks('type Query { users(id: ID): [String!] }')).toEqual([
    'Field Query.user was removed.',
  ]);
});

test('additions break nothing', () => {
  expect(breaks(`${SDL} extend type Query { more(first: Int): Int }`)).toEqual([]);
});

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A git repository that contains the schema, with one commit. */
function project() {
  const folder = mkdtempSync(join(tmpdir(), 'evolution-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, 'schema'), join(folder, 'schema'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const git = (...args: string[]) =>
    expect(spawnSync('git', args, { cwd: folder }).status, args.join(' ')).toBe(0);
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
  const commit = () => {
    git('add', 'schema');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '-qm', 'a', '--allow-empty');
  };
  git('init', '-q');
  commit();
  return {
    git,
    commit,
    renameField: () =>
      edit('schema/schema.graphql', (sdl) => sdl.replace(/hasNextPage: /, 'more: ')),
    write: (entry: string) => edit('schema/CHANGES.md', (text) => `${text}\n- ${entry}\n`),
    check: () => {
      const run = spawnSync(process.execPath, ['schema/check-evolution.ts'], {
        cwd: folder,
        encoding: 'utf8',
      });
      return { code: run.status, output: `${run.stdout}${run.stderr}` };
    },
  };
}

test('without a release, the schema is compared with the commit before', () => {
  const { commit, renameField, write, check } = project();
  expect(check()).toEqual({ code: 0, output: expect.stringContaining('no earlier version') });
  renameField();
  commit();
  expect(check()).toEqual({
    code: 1,
    output: expect.stringContaining('Field PageInfo.hasNextPage was removed. Add this sentence'),
  });
  write('Field PageInfo.hasNextPage was removed. Ask for one more.');
  expect(check()).toEqual({ code: 0, output: '' });
});

test('with a release, the schema is compared with the release', () => {
  const { git, commit, renameField, check } = project();
  git('tag', 'v1.0.0');
  renameField();
  commit();
  commit();
  expect(check()).toEqual({ code: 1, output: expect.stringContaining('since v1.0.0') });
});
