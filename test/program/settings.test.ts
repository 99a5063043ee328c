import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  emptyFolder,
  projectFolder,
  runProgram,
  startNode,
  startProgram,
  usedFolder,
  usedPostgres,
} from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

async function graphiql(url: string): Promise<string> {
  const response = await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } });
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  return response.text();
}

test('all invalid settings of both programs are reported at once, one a line, and nothing is started', async () => {
  const folder = emptyFolder();
  const ended = await runProgram({
    DATA_DIR: folder,
    PORT: 'abc',
    UPSTREAM_PAGE_MAX: '0',
    FEDERATION: 'gateway',
    SANDBOX_USERS_PORT: '99999',
    SANDBOX_DEMO_KEY: 'not a key',
    SANDBOX_DATABASE_URL: 'mysql://127.0.0.1/shop',
  });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr.trimEnd().split('\n').sort()).toEqual([
    'FEDERATION must be "subgraph" or unset; it was "gateway".',
    'PORT must be an integer from 0 to 65535; it was "abc".',
    'SANDBOX_DATABASE_URL must be a URL that starts with postgresql:// or postgres://.',
    'SANDBOX_DEMO_KEY must be 1 to 200 printable ASCII characters without spaces.',
    'SANDBOX_USERS_PORT must be an integer from 0 to 65535; it was "99999".',
    'UPSTREAM_PAGE_MAX must be an integer from 1 to 1000; it was "0".',
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('two equal ports of the sandbox are rejected', async () => {
  const settings = { SANDBOX_USERS_PORT: '2300', SANDBOX_POS_PORT: '2300' };
  expect(await runProgram({ DATA_DIR: emptyFolder(), ...settings })).toMatchObject({
    code: 2,
    stderr: 'SANDBOX_USERS_PORT and SANDBOX_POS_PORT must differ; both were 2300.\n',
  });
});

test('one URL without the two others is rejected', async () => {
  const settings = { DATA_DIR: emptyFolder(), USERS_URL: 'http://127.0.0.1:2223' };
  const together =
    'Set USERS_URL, PAYMENTS_URL and POS_URL together. If none of them are set, the sandbox starts.';
  expect(await runProgram(settings)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `PAYMENTS_URL is not set. ${together}\nPOS_URL is not set. ${together}\n`,
  });
});

test('URLs with a user, a query or another protocol are rejected and not repeated', async () => {
  const ended = await runProgram({
    DATA_DIR: emptyFolder(),
    USERS_URL: 'http://anna:secret@127.0.0.1:2223',
    PAYMENTS_URL: 'http://127.0.0.1:2224?key=secret',
    POS_URL: 'ftp://127.0.0.1/secret',
  });
  const plain =
    'must be an http or https URL without username, password, query or fragment, such as http://127.0.0.1:';
  expect(ended).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `USERS_URL ${plain}2223.\nPAYMENTS_URL ${plain}2224.\nPOS_URL ${plain}2225.\n`,
  });
});

test('with all three URLs the gateway serves from them and no sandbox starts', async () => {
  const calls: string[] = [];
  const services = await startTestSandbox({
    log: ({ method, path }) => calls.push(`${method} ${path}`),
  });
  onTestFinished(() => services.close());
  const folder = usedFolder();
  const { usersUrl, paymentsUrl, posUrl, demoApp } = services;

  const program = await startProgram({
    DATA_DIR: folder,
    USERS_URL: usersUrl,
    PAYMENTS_URL: `${paymentsUrl}/`,
    POS_URL: posUrl,
    SANDBOX_DEMO_KEY: demoApp.key,
    USERS_ACCESS: demoApp.id,
    DRAIN_DELAY_MS: '0',
  });
  expect(program).toMatchObject({ usersUrl, paymentsUrl, posUrl });
  expect(program.screen).not.toContain('sandbox');
  const { data } = await program.ask(
    '{ viewer { name } users(first: 1) { edges { node { name } } } }',
    {},
    demoApp.key,
  );
  expect(data).toEqual({
    viewer: { name: 'Demo' },
    users: { edges: [{ node: { name: 'Astrid Holm' } }] },
  });
  expect(new Set(calls)).toEqual(new Set(['GET /me', 'GET /users']));
  // The gateway stores the money operations itself.
  expect(readdirSync(folder)).toEqual(['database', 'database.holder', 'database.lock']);

  const page = await graphiql(program.url);
  expect(page).toContain('Bearer \\u003ckey of your app>');
  expect(page).not.toContain(demoApp.key);
  const { stdout, stderr, code } = await program.stop();
  expect(stdout + stderr).not.toContain(demoApp.key);
  expect(code).toBe(0);
});

test('with the embedded sandbox GraphiQL has the demo key filled in, and a set one is used', async () => {
  const settings = { ...(await usedPostgres()), SANDBOX_DEMO_KEY: 'my-own-key' };
  const program = await startProgram(settings);
  expect(program.demoKey).toBe('my-own-key');
  expect(await graphiql(program.url)).toContain('Bearer my-own-key');
  expect((await program.ask('{ viewer { name } }')).data).toEqual({ viewer: { name: 'Demo' } });
});

/** Runs a program in a folder with the given file `.env`. */
function runWithEnvFile(
  envFile: string,
  args: readonly string[],
  settings: Record<string, string> = {},
) {
  const folder = emptyFolder();
  writeFileSync(join(folder, '.env'), envFile);
  return startNode(args, settings, projectFolder, folder).ended;
}

test.each([
  [
    'npm start [-- --help]',
    'bin/gateway.js',
    'PORT=4000',
    'MONEY_LEASE_MS=30000',
    'SANDBOX_POS_PORT=2225',
  ],
  ['tillgraph-sandbox [flags]', 'bin/tillgraph-sandbox.js', 'SANDBOX_SEED=demo', 'DATA_DIR=.data'],
])(
  'the help of `%s` prints every setting and the exit codes, and starts nothing',
  async (command, file, ...settings) => {
    for (const option of ['--help', '-h']) {
      const { code, stdout, stderr } = await runWithEnvFile('PORT=abc', [file, option]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.startsWith(`Usage: ${command}\n`)).toBe(true);
      for (const setting of settings) expect(stdout).toContain(`\n  ${setting}\n`);
      expect(stdout).toContain('\n  2  Settings are invalid.');
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(90);
    }
  },
);

test('every program reads the file `.env`, and the environment takes precedence', async () => {
  const envFile = 'PORT=abc\nSANDBOX_USERS_PORT=abc\nUPSTREAM_PAGE_MAX=0\n';
  const settings = { DATA_DIR: emptyFolder(), PORT: '0' };
  const pageMax = 'UPSTREAM_PAGE_MAX must be an integer from 1 to 1000; it was "0".\n';
  const usersPort = 'SANDBOX_USERS_PORT must be an integer from 0 to 65535; it was "abc".\n';
  for (const [args, stderr] of [
    [['bin/gateway.js'], pageMax + usersPort],
    [['bin/tillgraph-sandbox.js'], usersPort],
    [['bin/tillgraph.js', 'money', 'list'], pageMax],
  ] as const) {
    const expected = { code: 2, signal: null, stdout: '', stderr };
    expect(await runWithEnvFile(envFile, args, settings)).toEqual(expected);
  }
});

test('a line of the file `.env` that is not valid is an error, and not ignored', async () => {
  const ended = await runWithEnvFile('NODE_ENV: production\nUSERS_URL=x\n', ['bin/gateway.js']);
  const stderr = 'Line 1 of the file .env must be NAME=value, or begin with "#".\n';
  expect(ended).toEqual({ code: 2, signal: null, stdout: '', stderr });
});
