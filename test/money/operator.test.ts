import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { OperatorError, readCommand } from '../../src/gateway/operation/operator.ts';
import { openStore } from '../../src/gateway/operation/store/open-store.ts';
import { sandboxProgram } from '../../src/sandbox/program.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { patientStore } from '../support/patience.ts';
import { type Ended, emptyFolder, startNode, usedFolder } from '../support/program.ts';
import { startGateway, startStack } from '../support/start-stack.ts';
import { IMPATIENT } from './creation.ts';
import { movements } from './movement.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** `npm run money -- …` over a data folder. */
function money(folder: string, ...args: string[]): Promise<Ended> {
  return startNode(['dist/money.js', ...args], { DATA_DIR: folder }).ended;
}

/** A world with one capture of 400 whose request was lost, and gateways over its store. */
async function lostCapture() {
  const stack = await startStack();
  const proxy = await startFaultProxy(stack.sandbox.paymentsUrl);
  onTestFinished(async () => {
    await proxy.close();
    await stack.close();
  });
  const folder = usedFolder();
  const { usersUrl, posUrl, demoApp } = stack.sandbox;

  /** Runs a gateway over the folder for as long as the work takes. */
  async function withGateway<T>(work: (asked: ReturnType<typeof movements>) => Promise<T>) {
    const gateway = await startGateway({
      services: { usersUrl, posUrl, paymentsUrl: proxy.url },
      ...IMPATIENT,
      store: await openStore({ dataDir: folder, ...patientStore }),
    });
    try {
      return await work(movements((query, input) => gateway.ask(query, input, demoApp.key)));
    } finally {
      await gateway.close();
    }
  }

  const id = await given(stack).transaction(1000);
  const key = newKey();
  proxy.onWrite = (_forward, response) => void response.destroy();
  await withGateway(async ({ move }) => {
    expect(await move('capture', id, 400, key)).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });
  proxy.onWrite = undefined;
  const merchant = (await given(stack).merchant()).rawId;
  return { folder, id, key, merchant, withGateway };
}

test('the operator sees what is open and decides that it was not done; then a new key may', async () => {
  const { folder, id, key, merchant, withGateway } = await lostCapture();
  const listed = await money(folder, 'list', '--open');
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(/UNKNOWN +1 +CAPTURE /);
  const about = `4.00 EUR, ${id.replace('txn_', '')}, ${merchant}, ${key}`;
  expect(listed.stdout).toContain(`  ${about}\n`);
  const [operation = ''] = UUID.exec(listed.stdout) ?? [];

  const decided = await money(folder, 'resolve', operation, '--not-applied', '--note', 'looked');
  expect(decided).toMatchObject({ code: 0, stdout: `CAPTURE ${about} is NOT_APPLIED.\n` });
  expect(await money(folder, 'resolve', operation, '--applied', '--note', 'x')).toMatchObject({
    code: 2,
    stderr: `${operation} is not an operation with an unknown outcome. Nothing was changed.\n`,
  });
  const history = await money(folder, 'history', operation);
  expect(history.stdout).toMatch(/UNKNOWN +NOT_APPLIED .*"by":"\w+".*"note":"looked"/);
  expect((await money(folder, 'list', '--open')).stdout).toBe('No operation is open.\n');

  await withGateway(async ({ move, find, trail }) => {
    const end = { status: 'NOT_APPLIED', evidence: 'OPERATOR', advice: null };
    expect(await find(id, key)).toMatchObject(end);
    expect(await move('capture', id, 400, key)).toMatchObject({
      ended: 'OutcomeUnknownError',
      operation: { ...end, replayed: true },
    });
    expect(await move('capture', id, 400, newKey())).toMatchObject({ ended: 'Success' });
    expect(await trail(id)).toEqual([{ kind: 'capture', amount: 400 }]);
  });
});

test('the operator decides that it was done', async () => {
  const { folder, key, id, withGateway } = await lostCapture();
  const [operation = ''] = UUID.exec((await money(folder, 'list')).stdout) ?? [];
  const line = 'a1b2c3d4e5f6a1b2c3d4e5f6';
  const because = ['--applied', `lin_${line}`, '--note', 'seen in the bank'];
  const decided = await money(folder, 'resolve', operation, ...because);
  expect(decided).toMatchObject({ code: 0, stdout: expect.stringMatching(/ is SUCCEEDED\.\n$/) });
  const history = await money(folder, 'history', operation);
  expect(history.stdout).toMatch(/UNKNOWN +SUCCEEDED/);
  expect(history.stdout).toContain('"note":"seen in the bank"');
  expect(history.stdout).toContain(`"proof":"${line}"`);
  expect(await money(folder, 'resolve', operation, ...because)).toMatchObject({
    code: 2,
    stderr: `${operation} is not an operation with an unknown outcome. Nothing was changed.\n`,
  });
  const other = '00000000-0000-4000-8000-000000000000';
  expect(await money(folder, 'resolve', other, ...because)).toMatchObject({
    code: 2,
    stderr: `${line} already proves another operation. Nothing was changed.\n`,
  });
  await withGateway(async ({ find }) => {
    expect(await find(id, key)).toMatchObject({ status: 'SUCCEEDED', evidence: 'OPERATOR' });
  });
});

test('while a gateway runs on the folder, nothing is decided beside it', async () => {
  const folder = usedFolder();
  const store = await openStore({ dataDir: folder, ...patientStore });
  onTestFinished(() => store.close());
  expect(await money(folder, 'list')).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr: `DATA_DIR ${folder} is in use by process ${process.pid} on ${hostname()}. Stop that process first.\n`,
  });
});

test('a folder where no gateway was is left as it is', async () => {
  const folder = emptyFolder();
  expect(await money(folder, 'list', '--open')).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr: `There is no record of money operations in ${folder}. Set DATA_DIR or DATABASE_URL as for the gateway.\n`,
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('a folder with data of the sandbox only has no record, and gets none', async () => {
  const folder = emptyFolder();
  await (await openDatabase({ dataDir: folder }, sandboxProgram)).close();
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await money(folder, 'list')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('There is no record of money operations in '),
    });
  }
});

test('the history of an operation that does not exist is an error', async () => {
  const folder = usedFolder();
  await (await openStore({ dataDir: folder, ...patientStore })).close();
  const id = '00000000-0000-4000-8000-000000000000';
  expect(await money(folder, 'history', id)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('There is no operation 00000000'),
  });
});

test.each([
  [[], 'npm run money -- list [--open]'],
  [['list', 'more'], 'npm run money -- list [--open]'],
  [['forget'], 'npm run money -- list [--open]'],
  [['list', '--all'], 'npm run money -- list [--open]'],
  [['resolve', 'x', '--applied'], '"x" is not an operation id'],
  [['resolve', '00000000-0000-4000-8000-000000000000'], '--applied'],
  [['resolve', '00000000-0000-4000-8000-000000000000', '--not-applied'], '--note <text>'],
  [['resolve', '00000000-0000-4000-8000-000000000000', '--applied'], '--note <text>'],
  [
    ['resolve', '00000000-0000-4000-8000-000000000000', '--applied', 'zzz', '--note', 'x'],
    '"zzz" is not the id of a line or a transaction',
  ],
])('%j is answered with how the command is used', (args, words) => {
  expect(() => readCommand(args)).toThrow(OperatorError);
  expect(() => readCommand(args)).toThrow(words);
});

test('a command that is not understood ends with code 2, and opens nothing', async () => {
  const folder = emptyFolder();
  expect(await money(folder, 'list', 'more')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('npm run money -- list [--open]'),
  });
  expect(readdirSync(folder)).toEqual([]);
});
