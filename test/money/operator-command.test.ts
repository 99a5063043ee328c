import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { OperatorError, readCommand, runCommand } from '../../src/gateway/operation/operator.ts';
import { openStore } from '../../src/gateway/operation/store/open-store.ts';
import type { OperationStore } from '../../src/gateway/operation/store/operation-store.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Ended, emptyFolder, startNode, usedFolder } from '../support/program.ts';
import { loseRequest } from './support/faults.ts';
import { findOperation, movementInput, submit } from './support/money-client.ts';
import { newCapture, TRAIL_SNAPSHOT } from './support/new-intent.ts';
import { keepOpen, openPostgres } from './support/open-stores.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { openServiceLedger, toRawId } from './support/service-ledger.ts';

const NO_OPERATION = '00000000-0000-4000-8000-000000000000';
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** Runs `npm run money -- …` over a data folder, in its own process. */
function runProcess(folder: string, ...args: string[]): Promise<Ended> {
  return startNode(['dist/money.js', ...args], { DATA_DIR: folder }).ended;
}

describe('with an operation whose outcome is unknown', () => {
  let store: OperationStore;
  let gateway: ProxiedGateway;
  beforeAll(async () => {
    store = await openPostgres();
    gateway = await startProxiedGateway({ store: keepOpen(store) });
  });
  afterAll(async () => {
    await gateway?.close();
    await store?.close();
  });

  const command = (...args: string[]) => runCommand(store, readCommand(args));

  /** Loses the request of a capture of 400. */
  async function loseCapture() {
    gateway.proxy.onWrite = loseRequest;
    const input = movementInput(await given(gateway.direct).transaction(1000), 400);
    const result = await submit(gateway.ask, 'capture', input);
    expect(result).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    gateway.reset();
    const merchant = await given(gateway.direct).merchant();
    const [line] = (await command('list', '--open')).match(/^.*CAPTURE .*$/m) ?? [];
    const [operation = ''] = UUID.exec(line ?? '') ?? [];
    return { input, merchant, line, operation };
  }

  test('the operator settles that it was not applied, and the same capture with a new key succeeds', async () => {
    const { input, merchant, line, operation } = await loseCapture();
    const { transactionId, idempotencyKey } = input;
    const description = `4.00 EUR, ${toRawId(transactionId)}, ${merchant.rawId}, ${idempotencyKey}`;
    expect(line).toMatch(/UNKNOWN +1 +CAPTURE /);
    expect(line).toContain(`  ${description}`);

    const resolve = (...args: string[]) => command('resolve', operation, ...args);
    const resolved = await resolve('--not-applied', '--note', 'checked');
    expect(resolved).toBe(`CAPTURE ${description} is NOT_APPLIED.`);
    await expect(resolve('--applied', '--note', 'x')).rejects.toThrow(
      `${operation} is not an operation with an unknown outcome. Nothing was changed.`,
    );
    const history = await command('history', operation);
    expect(history).toMatch(/UNKNOWN +NOT_APPLIED .*"by":"\w+".*"note":"checked"/);
    expect(await command('list', '--open')).toBe('No operation is open.');

    const outcome = { status: 'NOT_APPLIED', evidence: 'OPERATOR', advice: null };
    expect(await findOperation(gateway.ask, merchant.id, idempotencyKey)).toMatchObject(outcome);
    expect(await submit(gateway.ask, 'capture', input)).toMatchObject({
      __typename: 'OutcomeUnknownError',
      operation: { ...outcome, replayed: true },
    });
    const withNewKey = movementInput(transactionId, 400);
    expect(await submit(gateway.ask, 'capture', withNewKey)).toMatchObject({
      __typename: 'CaptureTransactionSuccess',
    });
    const ledger = await openServiceLedger(gateway.direct.sandbox);
    expect(await ledger.entries(transactionId)).toEqual([{ kind: 'capture', amount: 400 }]);
  });

  test('the operator settles that it was applied, with a line that proves no other operation', async () => {
    const { input, merchant, operation } = await loseCapture();
    const line = newKey().replaceAll('-', '').slice(0, 24);
    const settlement = ['--applied', `lin_${line}`, '--note', 'seen at the bank'];
    const resolved = await command('resolve', operation, ...settlement);
    expect(resolved).toMatch(/ is SUCCEEDED\.$/);
    const history = await command('history', operation);
    expect(history).toMatch(/UNKNOWN +SUCCEEDED/);
    expect(history).toContain('"note":"seen at the bank"');
    expect(history).toContain(`"proof":"${line}"`);
    await expect(command('resolve', operation, ...settlement)).rejects.toThrow(
      `${operation} is not an operation with an unknown outcome. Nothing was changed.`,
    );
    await expect(command('resolve', NO_OPERATION, ...settlement)).rejects.toThrow(
      `${line} already proves another operation. Nothing was changed.`,
    );
    const found = await findOperation(gateway.ask, merchant.id, input.idempotencyKey);
    expect(found).toMatchObject({ status: 'SUCCEEDED', evidence: 'OPERATOR' });
  });

  test('the history of an operation that does not exist is an error', async () => {
    await expect(command('history', NO_OPERATION)).rejects.toThrow(
      `There is no operation ${NO_OPERATION}.`,
    );
  });
});

test.each([
  [[], 'npm run money -- list [--open]'],
  [['list', 'more'], 'npm run money -- list [--open]'],
  [['forget'], 'npm run money -- list [--open]'],
  [['list', '--all'], 'npm run money -- list [--open]'],
  [['resolve', 'x', '--applied'], '"x" is not an operation id'],
  [['resolve', NO_OPERATION], '--applied'],
  [['resolve', NO_OPERATION, '--not-applied'], '--note <text>'],
  [['resolve', NO_OPERATION, '--applied'], '--note <text>'],
  [
    ['resolve', NO_OPERATION, '--applied', 'zzz', '--note', 'x'],
    '"zzz" is not the id of a line or a transaction',
  ],
])('the invalid command %j is an error that says how to use it', (args, message) => {
  expect(() => readCommand(args)).toThrow(OperatorError);
  expect(() => readCommand(args)).toThrow(message);
});

describe('npm run money', () => {
  test('lists and settles the operations of a DATA_DIR', async () => {
    const folder = usedFolder();
    const store = await openStore({ dataDir: folder, leaseMs: 30_000 });
    const { operation } = await store.claim(newCapture());
    await store.startSending(operation, TRAIL_SNAPSHOT);
    await store.close();

    const listed = await runProcess(folder, 'list', '--open');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(new RegExp(`^${operation.id}  UNKNOWN +1 +CAPTURE `, 'm'));
    const settlement = ['resolve', operation.id, '--not-applied', '--note', 'checked'];
    expect(await runProcess(folder, ...settlement)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ is NOT_APPLIED\.\n$/),
      stderr: '',
    });
  });

  test('prints how to use it and opens nothing if the command is invalid', async () => {
    const folder = emptyFolder();
    expect(await runProcess(folder, 'forget')).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: expect.stringContaining('npm run money -- list [--open]'),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('does nothing while a gateway uses the DATA_DIR', async () => {
    const folder = usedFolder();
    const store = await openStore({ dataDir: folder, leaseMs: 30_000 });
    onTestFinished(() => store.close());
    expect(await runProcess(folder, 'list')).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: `DATA_DIR ${folder} is in use by process ${process.pid} on ${hostname()}. Stop that process first.\n`,
    });
  });

  test('creates no record in a DATA_DIR that only the sandbox has used', async () => {
    const folder = emptyFolder();
    await (await startSandbox({ dataDir: folder })).close();
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await runProcess(folder, 'list')).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('There is no record of money operations in '),
      });
    }
  });

  test('creates nothing in a DATA_DIR that no gateway has used', async () => {
    const folder = emptyFolder();
    expect(await runProcess(folder, 'list', '--open')).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: `There is no record of money operations in ${folder}. Set DATA_DIR or DATABASE_URL as for the gateway.\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});
