import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { emptyFolder, startNode, takenPort } from '../support/program.ts';
import { rest } from '../support/rest.ts';

const PROGRAM = 'bin/tillgraph-sandbox.js';
const ADDRESSES =
  /User records +(\S+)\nPayments +(\S+)\nPayment page +(\S+)\nPay +(.+)\nControl +(\S+).*\nDemo key +(\S+)\n/;

test('`--data memory` stores nothing, and `--seed empty` leaves the demo app alone', async () => {
  const folder = emptyFolder();
  const flags = ['--port', '0', '--data', 'memory', '--seed', 'empty', '--control-port', '0'];
  const program = startNode([PROGRAM, ...flags], {}, undefined, folder);
  const [, users = '', payments = '', , pay, control = '', key = ''] =
    await program.printed(ADDRESSES);
  expect((await rest(users).get('/users')).body).toEqual([]);
  const { body } = await rest(payments, key).get('/me');
  expect(body.identity.name).toBe('Demo');
  expect(pay).toBe('- (there is no merchant)');
  expect((await rest(control).get('/clock')).body.frozen).toBe(false);
  expect(await program.stop()).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(folder)).toEqual([]);
});

test('`--port` gives consecutive ports, `--data` a folder, and without `--control-port` there is no control', async () => {
  const folder = emptyFolder();
  const port = await freePort(3);
  const flags = ['--port', String(port), '--data', join(folder, 'kept')];
  const program = startNode([PROGRAM, ...flags], {}, undefined, folder);
  const [, users, payments, pos, pay, control] = await program.printed(ADDRESSES);
  expect([users, payments, pos].map((url) => new URL(url ?? '').port)).toEqual(
    [port, port + 1, port + 2].map(String),
  );
  expect(await (await fetch(pay ?? '')).text()).toContain('Nordlys Kaffee');
  expect(control).toBe('-');
  await program.stop();
  expect(readdirSync(folder)).toEqual(['kept']);
});

test.each([
  [['--ports', '1'], "Unknown option '--ports'. `--help` lists the flags."],
  [['serve'], "Unexpected argument 'serve'"],
  [['--port', '65534'], '--port must be an integer from 0 to 65533; it was "65534".'],
  [['--seed', 'some'], '--seed must be "demo" or "empty"; it was "some".'],
  [['--control-port', 'on'], '--control-port must be an integer from 0 to 65535, or "off"'],
  [
    ['--port', '2400', '--control-port', '2401'],
    '--port and --control-port must differ; both were 2401.',
  ],
])('%j ends with a message, and creates no folder', async (flags, message) => {
  const folder = emptyFolder();
  const { code, stderr } = await startNode([PROGRAM, ...flags], {}, undefined, folder).ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a port or a folder that is in use ends with a message that names the flags', async () => {
  const port = await takenPort();
  const ended = await startNode([PROGRAM, '--port', port, '--data', 'memory'], {}).ended;
  expect(ended).toMatchObject({
    code: 1,
    stderr: `Port ${port} is taken. Choose other ports with \`--port\`, such as \`--port 3000\`, or \`--port 0\` for free ones.\n`,
  });
  const flags = ['--port', '0', '--data', join(emptyFolder(), 'kept')];
  const first = startNode([PROGRAM, ...flags], {});
  await first.printed(/Data +\S+kept\n/);
  const { stderr } = await startNode([PROGRAM, ...flags], {}).ended;
  expect(stderr).toMatch(/is in use by process .+ use `--data memory`\.\n$/);
});
