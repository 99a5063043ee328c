import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, runProgram, startProgram, usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

async function graphiql(url: string): Promise<string> {
  const response = await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } });
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  return response.text();
}

test('all wrong settings of both programs are told at once, one a line, and nothing is started', async () => {
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
    'FEDERATION takes "subgraph" or nothing, not "gateway".',
    'PORT takes a whole number from 0 to 65535, not "abc".',
    'SANDBOX_DATABASE_URL takes the address of a PostgreSQL: postgresql://…',
    'SANDBOX_DEMO_KEY takes 1 to 200 printable characters without spaces.',
    'SANDBOX_USERS_PORT takes a port from 0 to 65535 (0 picks a free one), not "99999".',
    'UPSTREAM_PAGE_MAX takes a whole number from 1 to 1000, not "0".',
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('two ports of the sandbox that are the same are refused', async () => {
  const settings = { SANDBOX_USERS_PORT: '2300', SANDBOX_POS_PORT: '2300' };
  expect(await runProgram({ DATA_DIR: emptyFolder(), ...settings })).toMatchObject({
    code: 2,
    stderr: 'SANDBOX_USERS_PORT, SANDBOX_PAYMENTS_PORT and SANDBOX_POS_PORT must differ.\n',
  });
});

test('one address without the two others is refused', async () => {
  const settings = { DATA_DIR: emptyFolder(), USERS_URL: 'http://127.0.0.1:2223' };
  expect(await runProgram(settings)).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'PAYMENTS_URL and POS_URL missing: give USERS_URL, PAYMENTS_URL, POS_URL together, or none of them for the sandbox.\n',
  });
});

test('addresses with a user, a query or another protocol are refused and not repeated', async () => {
  const ended = await runProgram({
    DATA_DIR: emptyFolder(),
    USERS_URL: 'http://anna:secret@127.0.0.1:2223',
    PAYMENTS_URL: 'http://127.0.0.1:2224?key=secret',
    POS_URL: 'ftp://127.0.0.1/secret',
  });
  const plain =
    'takes an http or https address without user, query or fragment, such as http://127.0.0.1:2224.';
  expect(ended).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `USERS_URL ${plain}\nPAYMENTS_URL ${plain}\nPOS_URL ${plain}\n`,
  });
});

test('with all three addresses the gateway serves from them and no sandbox starts', async () => {
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
  // What it keeps itself is the record of money operations.
  expect(readdirSync(folder)).toEqual(['database', 'database.lock']);

  const page = await graphiql(program.url);
  expect(page).toContain('Bearer <key of your app>');
  expect(page).not.toContain(demoApp.key);
  const { stdout, stderr, code } = await program.stop();
  expect(stdout + stderr).not.toContain(demoApp.key);
  expect(code).toBe(0);
});

test('with the embedded sandbox GraphiQL has the demo key filled in, and a set one is used', async () => {
  const settings = { DATA_DIR: usedFolder(), SANDBOX_DEMO_KEY: 'my-own-key' };
  const program = await startProgram(settings);
  expect(program.demoKey).toBe('my-own-key');
  expect(await graphiql(program.url)).toContain('Bearer my-own-key');
  expect((await program.ask('{ viewer { name } }')).data).toEqual({ viewer: { name: 'Demo' } });
});
