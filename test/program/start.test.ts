import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { lockFolder } from '../../src/database/folder-lock.ts';
import {
  emptyFolder,
  freePorts,
  projectFolder,
  runProgram,
  startNode,
  startProgram,
  takenPort,
  usedFolder,
  usedPostgres,
} from '../support/program.ts';
import { rest } from '../support/rest.ts';

const run = promisify(execFile);

const curl = spawnSync('curl', ['--version']).error === undefined;
if (!curl) console.warn('Skipped: the printed command was not tried, because curl is missing.');

const MERCHANTS = '{ merchants { edges { node { name fundingCurrency } } } }';
const demoMerchants = {
  merchants: {
    edges: [
      { node: { name: 'Harbour Cycles', fundingCurrency: 'USD' } },
      { node: { name: 'Havnens Bageri', fundingCurrency: 'DKK' } },
      { node: { name: 'Nordlys Kaffee', fundingCurrency: 'EUR' } },
    ],
  },
};

test('the first start inserts the demo data and prints everything a new user needs', async () => {
  const folder = emptyFolder();
  const program = await startProgram({ DATA_DIR: folder });
  const { url, demoKey, usersUrl, paymentsUrl, posUrl } = program;

  expect(program.screen).toContain(`GraphiQL       ${url}/graphql\n`);
  expect(program.screen).toContain(`Diagram        ${url}/schema\n`);
  expect(program.screen).toContain(`Demo key       ${demoKey}\n`);
  expect(program.screen).toContain(`curl ${url}/graphql `);
  expect(program.screen).toContain(`User records   ${usersUrl}   (sandbox)\n`);
  expect(program.screen).toContain(`Payments       ${paymentsUrl}   (sandbox)\n`);
  expect(program.screen).toContain(`Payment page   ${posUrl}   (sandbox)\n`);
  expect(program.screen).toContain(`Operations     ${folder}\n`);
  expect(program.screen).toContain(`Data           ${folder}\n`);
  expect(new Set([url, usersUrl, paymentsUrl, posUrl]).size).toBe(4);
  const rows = program.screen.split('\n').map((line) => Math.ceil(Math.max(line.length, 1) / 80));
  expect(rows.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(24);

  expect((await program.ask(MERCHANTS)).data).toEqual(demoMerchants);
  // One database for both programs.
  expect(readdirSync(folder)).toEqual(['database', 'database.holder', 'database.lock']);
  const { stdout, stderr } = await program.stop();
  expect(stdout.trimEnd()).toBe(program.screen.trimEnd());
  expect(stderr).toBe('');
  expect(readdirSync(folder)).toEqual(['database']);
});

test.skipIf(!curl)(
  'in production, the printed address is the endpoint, and the printed command works in a shell',
  async () => {
    const { screen, url } = await startProgram({
      ...(await usedPostgres()),
      NODE_ENV: 'production',
    });
    expect(screen).toContain(`  Endpoint       ${url}/graphql\n  Demo key`);
    expect(screen).not.toContain('GraphiQL');
    const command = /^ {2}Try it +(curl (?:.*\\\n)*.*)$/m.exec(screen)?.[1] ?? '';
    const { stdout } = await run('bash', ['-c', command]);
    expect(JSON.parse(stdout)).toEqual({ data: demoMerchants });
  },
);

test('SIGINT right after the startup output ends the program with exit code 0 and no message', async () => {
  const program = await startProgram(await usedPostgres());
  expect(await program.stop('SIGINT')).toMatchObject({ code: 0, signal: null, stderr: '' });
});

test('after SIGTERM the program finishes a running request before it ends', async () => {
  const program = await startProgram(await usedPostgres());
  const mutation = `mutation($input: CreateUserInput!) {
    createUser(input: $input) { ... on CreateUserSuccess { user { name } } }
  }`;
  const body = JSON.stringify({
    query: mutation,
    variables: { input: { name: 'Ida', email: 'ida@mail.example', address: '' } },
  });
  const sent = request(`${program.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${program.demoKey}`,
      expect: '100-continue',
    },
  });
  const answered = new Promise<string>((resolve, reject) => {
    sent.on('error', reject).on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(text);
    });
  });
  // The program has the request and waits for its body.
  await once(sent, 'continue');
  const ended = program.stop('SIGTERM');
  sent.end(body);
  expect(JSON.parse(await answered)).toEqual({ data: { createUser: { user: { name: 'Ida' } } } });
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('a second program on the same data is rejected, and a later one uses the data and the key of the first', async () => {
  const settings = { DATA_DIR: usedFolder() };
  const first = await startProgram(settings);
  expect(await runProgram(settings)).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr:
      `DATA_DIR ${settings.DATA_DIR} is in use by process ${first.pid} on ${hostname()}. ` +
      'Run one Tillgraph per DATA_DIR, or set DATABASE_URL (gateway) and ' +
      'SANDBOX_DATABASE_URL (sandbox) to use a PostgreSQL server.\n',
  });
  // The first one continues.
  const created = await first.ask(`mutation {
    createUser(input: { name: "Ida", email: "ida@mail.example", address: "" }) {
      ... on CreateUserSuccess { user { id } }
    }
  }`);
  const { id } = created.data.createUser.user;
  await first.stop();

  const second = await startProgram(settings);
  expect(second.demoKey).toBe(first.demoKey);
  const { data } = await second.ask(
    `query($id: ID!) {
      user(id: $id) { name }
      merchants { edges { node { name fundingCurrency } } }
    }`,
    { id },
  );
  expect(data).toEqual({ user: { name: 'Ida' }, ...demoMerchants });
});

test.each(['PORT', 'SANDBOX_PAYMENTS_PORT'])(
  'if %s is in use, the program ends with one line that names the setting',
  async (setting) => {
    const port = await takenPort();
    expect(await runProgram({ ...(await usedPostgres()), [setting]: port })).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `Port ${port} is taken. Set ${setting} to another one (0 picks a free one).\n`,
    });
  },
);

test('a HOST that this machine does not have is an error that names the setting', async () => {
  const { stderr, code } = await runProgram({ ...(await usedPostgres()), HOST: '192.0.2.1' });
  expect([code, stderr]).toEqual([
    1,
    'The gateway cannot listen on HOST 192.0.2.1 and PORT 0 (EADDRNOTAVAIL).\n',
  ]);
});

test('npm start rejects arguments, because settings are environment variables', async () => {
  const args = ['bin/gateway.js', '--port', '5000'];
  expect(await runProgram({ DATA_DIR: emptyFolder() }, args)).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      'npm start does not take arguments such as "--port". Settings are environment variables, such as PORT=4001. `npm start -- --help` lists them.\n',
  });
});

test('`tillgraph --version` prints the version', async () => {
  const { version } = JSON.parse(readFileSync(`${projectFolder}package.json`, 'utf8'));
  const settings = { DATA_DIR: emptyFolder() };
  expect(await runProgram(settings, ['bin/tillgraph.js', '--version'])).toMatchObject({
    code: 0,
    stdout: `${version}\n`,
  });
});

test.each([
  ['bin/gateway.js'],
  ['bin/tillgraph-sandbox.js'],
  ['bin/tillgraph.js', 'money', 'list'],
])(
  'data of an earlier version is not ignored: %s %s ends with a message that says what to do',
  async (...args) => {
    const folder = emptyFolder();
    for (const name of ['gateway', 'sandbox']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'PG_VERSION'), '18\n');
    }
    expect(await startNode(args, { ...freePorts, DATA_DIR: folder }).ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr:
        `DATA_DIR ${folder} contains data of an earlier version of Tillgraph: gateway, sandbox. ` +
        'This version cannot read it. ' +
        'Move it elsewhere, or set DATA_DIR to another folder.\n',
    });
    expect(readdirSync(folder)).toEqual(['gateway', 'sandbox']);
  },
);

test('SIGTERM right after the startup output ends the program, and `npm run sandbox` starts all services on its data and prints their addresses and the key', async () => {
  const DATA_DIR = usedFolder();
  const program = await startProgram({ DATA_DIR });
  expect(await program.stop('SIGTERM')).toMatchObject({ code: 0, signal: null, stderr: '' });
  const { SANDBOX_CONTROL_PORT: _, ...ports } = freePorts;
  const running = startNode(['bin/tillgraph-sandbox.js'], { ...ports, DATA_DIR });
  const [, users = '', payments = '', page = '', key = ''] = await running.printed(
    /User records +(\S+)\nPayments +(\S+)\nPayment page +(\S+)\nPay +\S+\nControl +- .+\nDemo key +(\S+)\nTry +curl .+\n/,
  );
  expect(new Set([users, payments, page]).size).toBe(3);
  expect(key).toBe(program.demoKey);
  expect((await rest(users).get('/users')).status).toBe(200);
  expect((await rest(payments, key).get('/me')).body.identity.name).toBe('Demo');
  expect(await (await fetch(page)).text()).toContain('data-error="KEY_MISSING"');
  expect(await running.stop()).toMatchObject({ code: 0, stderr: '' });
});

test.skipIf(process.platform === 'win32')(
  'when only the shell of `npm start` is stopped, the program ends too (not tested on Windows)',
  async () => {
    const dataDir = usedFolder();
    const shell = spawn('sh', ['-c', 'node bin/gateway.js; true'], {
      cwd: projectFolder,
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        DATA_DIR: dataDir,
        npm_lifecycle_event: 'start',
        ...freePorts,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let screen = '';
    // The output ends when the program ends, which is later than its shell.
    for await (const chunk of shell.stdout) {
      screen += chunk;
      if (screen.includes('Data  ')) shell.kill();
    }
    expect(screen).toContain('Tillgraph is running');
    // Nobody has the folder any more.
    lockFolder(dataDir).release();
  },
);

test('`npm run sandbox` reports all invalid settings at once', async () => {
  const settings = {
    SANDBOX_USERS_PORT: 'one',
    SANDBOX_POS_PORT: '65536',
    DATA_DIR: emptyFolder(),
  };
  const args = ['bin/tillgraph-sandbox.js'];
  expect(await startNode(args, settings).ended).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      'SANDBOX_USERS_PORT must be an integer from 0 to 65535; it was "one".\n' +
      'SANDBOX_POS_PORT must be an integer from 0 to 65535; it was "65536".\n',
  });
});

test('a fault does not stop calls once it is removed, and the next start shows the clock', async () => {
  const folder = emptyFolder();
  const first = await startProgram({ DATA_DIR: folder });
  const controlOf = (screen: string) => rest(/Control +(\S+)/.exec(screen)?.[1] ?? '');
  const control = controlOf(first.screen);
  await control.post('/faults', { kind: 'status', status: 503, service: 'payments' });
  await expect
    .poll(async () => (await first.ask(MERCHANTS)).errors?.[0]?.message, { timeout: 20_000 })
    .toContain('does not call it');
  await control.delete('/faults');
  expect((await first.ask(MERCHANTS)).data).toEqual(demoMerchants);
  expect(first.screen).not.toContain('Clock');
  await control.post('/clock/freeze', {});
  const { now } = (await control.post('/clock/advance', { ms: 86_400_000 })).body;
  await first.stop();
  const second = await startProgram({ DATA_DIR: folder });
  const clock = `Clock          ${now.slice(0, 19).replace('T', ' ')} UTC, frozen\n`;
  expect(second.screen).toContain(clock);
  await controlOf(second.screen).post('/clock/resume', {});
  await second.stop();
  expect((await startProgram({ DATA_DIR: folder })).screen).toMatch(/Clock +\S+ \S+ UTC\n/);
});
