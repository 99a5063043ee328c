import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readCommand } from '../../src/gateway/money/commands/command.ts';
import { OperatorError } from '../../src/gateway/money/commands/operator.ts';
import type { Held } from '../../src/gateway/money/store/operation-store.ts';
import type { SqlStore } from '../../src/gateway/money/store/sql-store.ts';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { rest } from '../support/rest.ts';
import { answerWith, loseRequest } from './support/faults.ts';
import { findOperation, movementInput, sendMutation, submit } from './support/money-client.ts';
import { keepOpen, openPostgres } from './support/open-stores.ts';
import {
  applyTwice,
  createCommands,
  lose,
  loseAnswerAndReads,
  type RunCommand,
} from './support/operator-commands.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { openServiceLedger, toRawId } from './support/service-ledger.ts';

const NO_OPERATION = '00000000-0000-4000-8000-000000000000';
const NO_LINE = '0123456789abcdef01234567';

let store: SqlStore;
let gateway: ProxiedGateway;
/** With the key of the demo app. */
let command: RunCommand;
let withoutKey: RunCommand;
/** What happens just before a caller is told of a settlement. */
let beforeReturning = async () => {};

beforeAll(async () => {
  store = await openPostgres();
  const markReturned = async (operation: Held) => {
    await beforeReturning();
    return store.markReturned(operation);
  };
  gateway = await startProxiedGateway({ store: { ...keepOpen(store), markReturned } });
  const { paymentsUrl, demoApp } = gateway.direct.sandbox;
  command = createCommands(store, paymentsUrl, demoApp.key);
  withoutKey = createCommands(store, paymentsUrl, undefined);
});
afterAll(async () => {
  await gateway?.close();
  await store?.close();
});
// The tests share a store, so each ends what the others have left open.
beforeEach(async () => {
  for (const { operation } of await store.view({ open: true, limit: 1_000 })) {
    await store.settle(operation.id, { applied: false, note: 'left', by: 'test' });
  }
});

/** The trail of a transaction, as the service has it. */
async function readTrail(transactionId: string) {
  const { paymentsUrl, demoApp } = gateway.direct.sandbox;
  const path = `/transactions/${toRawId(transactionId)}`;
  return (await rest(paymentsUrl, demoApp.key).get(path)).body.transaction.trail;
}

/** Makes a movement without the gateway. */
async function moveElsewhere(transactionId: string, movement: string, amount: number) {
  const { paymentsUrl, demoApp } = gateway.direct.sandbox;
  const path = `/transactions/${toRawId(transactionId)}/${movement}`;
  const { status } = await rest(paymentsUrl, demoApp.key).post(path, { amount });
  expect(status).toBe(201);
}

const resolve = (id: string, ...args: string[]) =>
  command('resolve', id, ...args, '--note', 'checked');
const resolveUnverified = (id: string, ...args: string[]) =>
  withoutKey('resolve', id, ...args, '--unverified', '--note', 'x');

describe('list', () => {
  test('shows what is open, why, and what to do', async () => {
    const { input, id } = await lose(gateway, store, loseRequest);
    const merchant = await given(gateway.direct).merchant();
    const { transactionId, idempotencyKey: key } = input;
    const listed = await command('list', '--open');
    expect(listed.replace(/ {2}\d+ s$/m, '  0 s')).toBe(`${id}  UNKNOWN  CAPTURE 4.00 EUR  0 s
  transaction ${toRawId(transactionId)}, merchant ${merchant.rawId}, key ${key}
  no valid response; advice RETRY_SAME_KEY`);
    expect(JSON.parse(await command('list', '--open', '--json'))).toEqual([
      {
        id,
        state: 'UNKNOWN',
        kind: 'CAPTURE',
        amount: { minorUnits: 400, currency: 'EUR' },
        transactionId: toRawId(transactionId),
        merchantId: merchant.rawId,
        idempotencyKey: key,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        ageSeconds: expect.any(Number),
        posts: 1,
        advice: 'RETRY_SAME_KEY',
        why: 'no valid response',
        evidence: null,
        verified: null,
        resolvedAt: null,
        entry: null,
        waived: false,
      },
    ]);
  });

  test('shows whether the settlement of an operation was verified', async () => {
    const { id } = await lose(gateway, store, loseRequest);
    await resolve(id, '--not-applied');
    expect(await command('list', '--open')).toBe('No operation is open.');
    const { id: other } = await lose(gateway, store, loseRequest);
    await resolveUnverified(other, '--not-applied');
    const listed = await command('list');
    expect(listed).toMatch(new RegExp(`${id} .*\\n.*\\n  evidence OPERATOR, verified(\\n|$)`));
    expect(listed).toMatch(new RegExp(`${other} .*\\n.*\\n  evidence OPERATOR, not verified`));
  });

  test('finds operations by their key and their transaction, and up to a number', async () => {
    const { id, input } = await lose(gateway, store, loseRequest);
    const { id: other } = await lose(gateway, store, loseRequest);
    const ids = async (...args: string[]) =>
      JSON.parse(await command('list', '--json', ...args)).map((each: { id: string }) => each.id);
    expect(await ids('--key', input.idempotencyKey)).toEqual([id]);
    expect(await ids('--transaction', input.transactionId, '--open')).toEqual([id]);
    expect(await ids('--open', '--limit', '1')).toEqual([id]);
    expect(await command('list', '--open', '--limit', '1')).toContain(
      'Only the oldest 1 operations are shown.',
    );
    expect(await command('list', '--key', 'unknown')).toBe('Nothing was found.');
    expect(await ids('--open')).toEqual([id, other]);
  });

  test('and every command accepts the beginning of an id', async () => {
    const { id } = await lose(gateway, store, loseRequest);
    const beginning = id.slice(0, 13);
    expect(await command('history', beginning)).toContain('SENDING');
    expect(await resolve(beginning, '--not-applied')).toContain('is NOT_APPLIED');
    const reopened = await command('reopen', beginning, '--note', 'x', '--by', ' Berta ');
    expect(reopened).toContain('is UNKNOWN again');
    expect(await command('history', id)).toMatch(/"by":"anna"(.|\n)*"by":"Berta \(anna\)"/);
    await expect(command('history', '00000000')).rejects.toThrow('There is no operation 00000000.');
  });
});

describe('resolve --applied', () => {
  test('claims the entry that the transaction shows, and names it', async () => {
    const { input, id } = await lose(gateway, store, loseAnswerAndReads(gateway));
    const [{ lineId, created }] = await readTrail(input.transactionId);
    const date = new Date(created).toISOString();
    expect(await resolve(id, '--applied')).toBe(
      `CAPTURE 4.00 EUR is SUCCEEDED. Verified: CAPTURE 4.00 EUR, ${date}, line ${lineId}.`,
    );
    const { claimed } = await store.knownEntries(toRawId(input.transactionId));
    expect(claimed).toEqual([{ line: lineId, properties: expect.stringContaining('CAPTURE') }]);
    const history = await command('history', id);
    expect(history).toMatch(/UNKNOWN +SUCCEEDED .*"by":"anna","note":"checked"/);
    expect(history).toContain('"verified":true');
    const merchant = await given(gateway.direct).merchant();
    expect(await findOperation(gateway.ask, merchant.id, input.idempotencyKey)).toMatchObject({
      status: 'SUCCEEDED',
      evidence: 'OPERATOR',
    });
  });

  test.each([
    ['a line that the transaction does not have', async () => NO_LINE, 'has no entry with line'],
    [
      'a line that was there before',
      (trail: Trail) => lineOf(trail[0]),
      'this is older than the operation',
    ],
    [
      'the line of another amount',
      (trail: Trail) => lineOf(trail[1]),
      'this is not a CAPTURE 4.00 EUR',
    ],
    [
      'the line of another kind',
      (trail: Trail) => lineOf(trail[2]),
      'this is not a CAPTURE 4.00 EUR',
    ],
  ])('does not believe %s', async (_what, choose, message) => {
    const transactionId = await given(gateway.direct).transaction(2000);
    await moveElsewhere(transactionId, 'captures', 400);
    const { id } = await lose(gateway, store, loseRequest, { transactionId });
    await moveElsewhere(transactionId, 'captures', 500);
    await moveElsewhere(transactionId, 'refunds', 400);
    const line = await choose(await readTrail(transactionId));
    await expect(resolve(id, '--applied', line)).rejects.toThrow(message);
    await expect(resolve(id, '--applied')).rejects.toThrow('shows no new CAPTURE 4.00 EUR');
    expect((await store.viewOne(id))?.operation.state).toBe('UNKNOWN');
  });

  test('does not believe the line that another operation has claimed', async () => {
    const transactionId = await given(gateway.direct).transaction(1000);
    const input = movementInput(transactionId, 400);
    gateway.proxy.onWrite = answerWith(429, '{}');
    expect(await submit(gateway.ask, 'capture', input)).toMatchObject({ code: 'NOT_SENT' });
    // Released, so another one can run. Its entry is new for both.
    gateway.reset();
    await submit(gateway.ask, 'capture', movementInput(transactionId, 400));
    const [{ lineId }] = await readTrail(transactionId);
    gateway.proxy.onWrite = loseRequest;
    expect(await submit(gateway.ask, 'capture', input)).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    gateway.reset();
    const [view] = await store.view({ open: true, limit: 1 });
    const id = view?.operation.id ?? '';
    await expect(resolve(id, '--applied', lineId)).rejects.toThrow(
      `line ${lineId}: this already proves another operation. Nothing was changed.`,
    );
    await expect(resolve(id, '--applied')).rejects.toThrow('shows no new CAPTURE 4.00 EUR');
    expect(await resolve(id, '--not-applied')).toContain('Verified');
  });

  test('a released capture does not succeed by the entry of one that was settled without a read', async () => {
    const transactionId = await given(gateway.direct).transaction(1000);
    const released = movementInput(transactionId, 1000);
    gateway.proxy.onWrite = answerWith(429, '{}');
    await submit(gateway.ask, 'capture', released);
    const fault = loseAnswerAndReads(gateway);
    const { id } = await lose(gateway, store, fault, { transactionId, amount: 1000 });
    await resolveUnverified(id, '--applied');
    const { operation } = await submit(gateway.ask, 'capture', released);
    expect(operation).toMatchObject({ status: 'UNKNOWN', advice: 'CONTACT_OPERATOR' });
    expect(gateway.posts()).toBe(0);
  });

  test('a capture does not succeed by the late entry of one that was settled without a read', async () => {
    const transactionId = await given(gateway.direct).transaction(1000);
    const { id } = await lose(gateway, store, loseRequest, { transactionId });
    await resolveUnverified(id, '--applied');
    const { input } = await lose(gateway, store, loseRequest, { transactionId });
    await moveElsewhere(transactionId, 'captures', 400);
    const { operation } = await submit(gateway.ask, 'capture', input);
    expect(operation).toMatchObject({ status: 'UNKNOWN', advice: 'CONTACT_OPERATOR' });
    expect(gateway.posts()).toBe(0);
  });

  test('asks for the line if several entries could be its effect', async () => {
    const { input, id } = await lose(gateway, store, applyTwice);
    expect(await command('list', '--open')).toContain(
      'several entries could be its effect; advice CONTACT_OPERATOR',
    );
    const [first, second] = await readTrail(input.transactionId);
    const message = new RegExp(`Give the line.*\n.*line ${first.lineId}\n.*line ${second.lineId}`);
    await expect(resolve(id, '--applied')).rejects.toThrow(message);
    expect(await resolve(id, '--applied', `lin_${second.lineId}`)).toContain(
      `line ${second.lineId}.`,
    );
    const { claimed } = await store.knownEntries(toRawId(input.transactionId));
    expect(claimed).toMatchObject([{ line: second.lineId }]);
  });

  test('prefers the entry that cannot be that of another operation', async () => {
    const transactionId = await given(gateway.direct).transaction(2000);
    const input = movementInput(transactionId, 400);
    gateway.proxy.onWrite = answerWith(429, '{}');
    await submit(gateway.ask, 'capture', input);
    // The entry of this one is the first or the second.
    gateway.proxy.onWrite = async (forward, ...rest) => {
      await forward();
      await passOn(forward, ...rest);
    };
    await submit(gateway.ask, 'capture', movementInput(transactionId, 400));
    gateway.reset();
    expect(await submit(gateway.ask, 'capture', input)).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const [view] = await store.view({ open: true, limit: 1 });
    const id = view?.operation.id ?? '';
    await expect(resolve(id, '--applied')).rejects.toThrow('Several entries could be its effect.');
    await moveElsewhere(transactionId, 'captures', 400);
    const [, , { lineId }] = await readTrail(transactionId);
    expect(await resolve(id, '--applied')).toContain(`line ${lineId}.`);
  });

  test('takes any of several voids, which have no line', async () => {
    const { input, id } = await lose(gateway, store, applyTwice, { movement: 'void' });
    expect(await resolve(id, '--applied')).toMatch(/Verified: VOID 4.00 EUR, .*, no line\.$/);
    const { claimed } = await store.knownEntries(toRawId(input.transactionId));
    expect(claimed).toHaveLength(1);
  });

  test('without a key must be marked as unverified', async () => {
    const { id } = await lose(gateway, store, loseRequest);
    await expect(withoutKey('resolve', id, '--applied', '--note', 'x')).rejects.toThrow(
      'MONEY_OPERATOR_API_KEY is not set, so the payments service cannot be read. Set it, or add --unverified to settle the operation without a check. Nothing was changed.',
    );
    expect(await resolveUnverified(id, '--applied', `lin_${NO_LINE}`)).toBe(
      'CAPTURE 4.00 EUR is SUCCEEDED. Not verified: the service was not read.',
    );
    const history = await command('history', id);
    expect(history).toMatch(
      /UNKNOWN +SUCCEEDED .*"proof":"0123456789abcdef01234567","verified":false/,
    );
    const { id: other } = await lose(gateway, store, loseRequest);
    await expect(resolveUnverified(other, '--applied', NO_LINE)).rejects.toThrow(
      `${NO_LINE} already proves another operation. Nothing was changed.`,
    );
  });
});

type Trail = readonly { readonly lineId: string }[];
const lineOf = async (entry: Trail[number] | undefined) => entry?.lineId ?? '';

describe('resolve --not-applied', () => {
  test('lets the same movement succeed with a new key', async () => {
    const { input, id } = await lose(gateway, store, loseRequest);
    expect(await resolve(id, '--not-applied')).toBe(
      'CAPTURE 4.00 EUR is NOT_APPLIED. Verified: the service shows no effect.',
    );
    const { transactionId } = input;
    expect(await submit(gateway.ask, 'capture', input)).toMatchObject({
      __typename: 'OutcomeUnknownError',
      operation: { status: 'NOT_APPLIED', evidence: 'OPERATOR', advice: null, replayed: true },
    });
    const again = movementInput(transactionId, 400);
    expect(await submit(gateway.ask, 'capture', again)).toMatchObject({
      __typename: 'CaptureTransactionSuccess',
    });
    const ledger = await openServiceLedger(gateway.direct.sandbox);
    expect(await ledger.entries(transactionId)).toEqual([{ kind: 'capture', amount: 400 }]);
  });

  test('is rejected if an entry could be its effect, unless that is ignored', async () => {
    const { input, id } = await lose(gateway, store, loseAnswerAndReads(gateway));
    const [{ lineId }] = await readTrail(input.transactionId);
    await expect(resolve(id, '--not-applied')).rejects.toThrow(
      new RegExp(
        `This could be its effect.*--ignore-entry\\.\n  CAPTURE 4.00 EUR, .*line ${lineId}`,
      ),
    );
    expect(await resolve(id, '--not-applied', '--ignore-entry')).toMatch(
      new RegExp(`is NOT_APPLIED\\. Not verified: this was ignored: .*line ${lineId}\\.$`),
    );
    expect(await command('history', id)).toContain('"verified":false');
  });
});

describe('reopen', () => {
  test('lets the gateway find the entry that a wrong settlement ignored', async () => {
    const { input, id } = await lose(gateway, store, loseAnswerAndReads(gateway));
    await resolve(id, '--not-applied', '--ignore-entry');
    expect(await command('reopen', id, '--note', 'it is there')).toBe(
      'CAPTURE 4.00 EUR is UNKNOWN again.',
    );
    const { id: merchantId } = await given(gateway.direct).merchant();
    const found = await findOperation(gateway.ask, merchantId, input.idempotencyKey);
    expect(found).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
    await expect(command('reopen', id, '--note', 'x')).rejects.toThrow(
      `${id} cannot be reopened. The operator has not settled it. Nothing was changed.`,
    );
  });

  test.each(['query', 'mutation'])(
    'is not possible once a caller was told, by a %s; until then nobody is told of what it takes back',
    async (by) => {
      const { input, id } = await lose(gateway, store, loseRequest);
      const { id: merchantId } = await given(gateway.direct).merchant();
      const statusNow = async (): Promise<string> => {
        if (by === 'query') {
          const found = await findOperation(gateway.ask, merchantId, input.idempotencyKey);
          return found.status;
        }
        return (await submit(gateway.ask, 'capture', input)).operation.status;
      };
      await resolve(id, '--not-applied');
      beforeReturning = async () => {
        beforeReturning = async () => {};
        await command('reopen', id, '--note', 'just in time');
      };
      expect(await statusNow()).toBe('UNKNOWN');
      await resolve(id, '--not-applied');
      expect(await statusNow()).toBe('NOT_APPLIED');
      await expect(command('reopen', id, '--note', 'too late')).rejects.toThrow(
        'A client was told of the settlement, so it is final. Nothing was changed.',
      );
      expect(await statusNow()).toBe('NOT_APPLIED');
      expect((await command('history', id)).match(/"returned":true/g)).toHaveLength(1);
    },
  );
});

describe('waive', () => {
  /** The service never receives a capture of 4.00 EUR, and is said to have applied it. */
  const pretend: Fault = (_forward, response, request) => {
    const [, , id] = request.url?.split('/') ?? [];
    const created = new Date().toISOString();
    const trail = [{ capture: true, amount: 400, created, lineId: newKey() }];
    response.writeHead(201).end(JSON.stringify({ transaction: { id, trail } }));
  };

  /** A capture that succeeded by its response. */
  async function succeed(fault: Fault) {
    const transactionId = await given(gateway.direct).transaction(1000);
    const input = movementInput(transactionId, 400);
    gateway.proxy.onWrite = fault;
    const result = await submit(gateway.ask, 'capture', input);
    gateway.proxy.onWrite = undefined;
    expect(result).toMatchObject({ __typename: 'CaptureTransactionSuccess' });
    const { rawId } = await given(gateway.direct).merchant();
    const known = await store.find(rawId, input.idempotencyKey);
    return { id: known?.id ?? '', transactionId };
  }

  test('frees the amount of a movement whose entry never appears', async () => {
    const { id, transactionId } = await succeed(pretend);
    const again = movementInput(transactionId, 400);
    expect(await submit(gateway.ask, 'capture', again)).toMatchObject({ code: 'NOT_SENT' });
    expect(await command('waive', id, '--note', 'it never came')).toBe(
      'Other operations no longer wait for the entry of CAPTURE 4.00 EUR. Verified: the service does not show it.',
    );
    expect(await submit(gateway.ask, 'capture', again)).toMatchObject({
      __typename: 'CaptureTransactionSuccess',
    });
    expect(await command('list')).toMatch(
      new RegExp(`${id} .*\n.*\n  evidence ANSWERED, entry waived`),
    );
    await expect(command('waive', id, '--note', 'x')).rejects.toThrow('was waived before');
  });

  test('is rejected while the service shows the entry', async () => {
    const { id } = await succeed(passOn);
    await expect(command('waive', id, '--note', 'x')).rejects.toThrow(
      'The service shows its entry, so no operation waits for it. Nothing was changed.',
    );
    await expect(withoutKey('waive', id, '--note', 'x')).rejects.toThrow('is not set');
    expect(await command('waive', id, '--unverified', '--note', 'x')).toContain('Not verified');
    expect(await command('history', id)).toContain('"verified":false');
  });
});

describe('a created transaction', () => {
  /** Loses a create. */
  async function loseCreate(isApplied: boolean) {
    const { id: merchantId } = await given(gateway.direct).merchant();
    const source = { transactionId: await given(gateway.direct).successful(merchantId) };
    gateway.proxy.onWrite = isApplied ? loseAnswerAndReads(gateway) : loseRequest;
    const amount = { minorUnits: 700, currency: 'EUR' };
    const input = { merchantId, source, amount, idempotencyKey: crypto.randomUUID() };
    await sendMutation(gateway.ask, 'create', input);
    gateway.reset();
    const open = await store.view({ open: true, limit: 1_000 });
    const id = open.find(({ operation }) => operation.key === input.idempotencyKey)?.operation.id;
    return { id: id ?? '', source: toRawId(source.transactionId) };
  }

  test('proves its operation by the tag', async () => {
    const { id, source } = await loseCreate(true);
    await expect(resolve(id, '--applied', source)).rejects.toThrow(
      `Transaction ${source} does not carry the tag of the operation`,
    );
    await expect(resolve(id, '--applied', NO_LINE)).rejects.toThrow(
      `The app key finds no transaction ${NO_LINE}.`,
    );
    await expect(resolve(id, '--not-applied')).rejects.toThrow('This could be its effect');
    const [, found = ''] = /transaction (\w{24})\.$/.exec(await resolve(id, '--applied')) ?? [];
    expect((await store.viewOne(id))?.operation.transactionId).toBe(found);
    await command('reopen', id, '--note', 'again');
    expect((await store.viewOne(id))?.operation.transactionId).toBeNull();
    expect(await resolve(id, '--applied', `txn_${found}`)).toContain(`transaction ${found}.`);
  });

  test('that does not exist is not found', async () => {
    const { id } = await loseCreate(false);
    await expect(resolve(id, '--applied')).rejects.toThrow(
      'No transaction with the tag of the operation was found',
    );
    expect(await resolve(id, '--not-applied')).toContain('Verified: the service shows no effect.');
  });
});

test('a decision is not made if the service cannot be read', async () => {
  const { id } = await lose(gateway, store, loseRequest);
  const { paymentsUrl } = gateway.direct.sandbox;
  const wrongKey = createCommands(store, paymentsUrl, 'wrong-key');
  const run = (commands: RunCommand, ...more: string[]) =>
    commands('resolve', id, '--not-applied', '--note', 'x', ...more);
  await expect(run(wrongKey)).rejects.toThrow(OperatorError);
  await expect(run(wrongKey)).rejects.toThrow('Check MONEY_OPERATOR_API_KEY.');
  const unreachable = createCommands(store, 'http://127.0.0.1:9', 'any-key');
  const failure = await run(unreachable).catch((error) => error);
  expect(failure).not.toBeInstanceOf(OperatorError);
  expect(failure.message).toContain('could not be read (unreachable). Nothing was changed.');
  expect((await store.viewOne(id))?.operation.state).toBe('UNKNOWN');
  expect(await run(unreachable, '--unverified')).toContain('Not verified');
});

test('an operation that has ended, and one that does not exist, cannot be settled', async () => {
  const { id } = await lose(gateway, store, loseRequest);
  await resolve(id, '--not-applied');
  await expect(resolve(id, '--applied')).rejects.toThrow(
    `${id} is NOT_APPLIED, and only an UNKNOWN operation can be settled. Nothing was changed.`,
  );
  for (const name of ['history', 'resolve', 'reopen', 'waive']) {
    const rest = name === 'resolve' ? ['--applied'] : [];
    const note = name === 'history' ? [] : ['--note', 'x'];
    await expect(command(name, NO_OPERATION, ...rest, ...note)).rejects.toThrow(
      `There is no operation ${NO_OPERATION}.`,
    );
  }
});

test('an operation that changes while the service is read is not settled', async () => {
  const { id } = await lose(gateway, store, loseRequest, { amount: 600 });
  const { demoApp } = gateway.direct.sandbox;
  gateway.proxy.onRead = async (forward, response) => {
    gateway.proxy.onRead = undefined;
    // The guard allows a second POST of this amount.
    const { operation } = (await store.viewOne(id)) ?? {};
    if (operation === undefined) throw new Error('The operation is gone.');
    await store.repost(operation, 2);
    const sending = await store.find(operation.merchantId, operation.key);
    await store.record(sending ?? operation, { to: 'UNKNOWN', response: null });
    const { status, type, body } = await forward();
    response.writeHead(status, { 'content-type': type }).end(body);
  };
  const throughProxy = createCommands(store, gateway.proxy.url, demoApp.key);
  await expect(throughProxy('resolve', id, '--not-applied', '--note', 'x')).rejects.toThrow(
    `${id} has just changed. Nothing was changed. Repeat the command.`,
  );
  const { operation } = (await store.viewOne(id)) ?? {};
  expect(operation).toMatchObject({ state: 'UNKNOWN', posts: 2 });
});

const RESOLVE = ['resolve', NO_OPERATION];

test.each([
  [[], 'Usage: tillgraph money'],
  [['list', 'more'], '"more" is one argument too many.\nUsage: tillgraph money list'],
  [['forget'], 'There is no command "forget".\n\nUsage: tillgraph money'],
  [['toString'], 'There is no command "toString".'],
  [['list', '--all'], "Unknown option '--all'.\n\nUsage: tillgraph money"],
  [['list', '--note', 'x'], 'list has no option --note'],
  [['watch', '--open'], 'watch has no option --open'],
  [['history', NO_OPERATION, '--json'], 'history has no option --json'],
  [['history'], 'history needs the id of an operation.\nUsage: tillgraph money history'],
  [['history', NO_OPERATION, 'more'], '"more" is one argument too many.\nUsage: tillgraph money'],
  [['list', '--limit', '0'], '--limit must be an integer from 1 to 10000.'],
  [['list', '--limit', 'all'], '--limit must be an integer from 1 to 10000.'],
  [['list', '--transaction', 'zzz'], '"zzz" is not the id of a line or a transaction'],
  [['resolve', 'x', '--applied'], '"x" is not an operation id'],
  [[...RESOLVE, '--note', 'x'], 'resolve needs either --applied or --not-applied'],
  [[...RESOLVE, '--applied', '--not-applied', '--note', 'x'], 'needs either --applied or'],
  [[...RESOLVE, '--not-applied'], 'resolve needs --note <text>'],
  [[...RESOLVE, '--applied', '--note', ' '], 'resolve needs --note <text>'],
  [[...RESOLVE, '--not-applied', NO_LINE, '--note', 'x'], 'is one argument too many'],
  [[...RESOLVE, '--applied', '--ignore-entry', '--note', 'x'], 'is an option of --not-applied'],
  [[...RESOLVE, '--applied', 'zzz', '--note', 'x'], '"zzz" is not the id of a line'],
  [['history', NO_OPERATION, '--by', 'x'], 'history has no option --by'],
  [['waive', NO_OPERATION, '--note', 'x', '--by', ' '], '--by must be a name of 1 to 100'],
  [['reopen', NO_OPERATION, '--note', 'x', '--by', 'a\n'.repeat(2)], '--by must be a name'],
  [['reopen', NO_OPERATION], 'reopen needs --note <text>'],
  [['reopen', NO_OPERATION, '--applied', '--note', 'x'], 'reopen has no option --applied'],
  [['waive', NO_OPERATION, NO_LINE, '--note', 'x'], 'is one argument too many'],
])('the invalid command %j is an error that says how to use it', (args, message) => {
  expect(() => readCommand(args)).toThrow(OperatorError);
  expect(() => readCommand(args)).toThrow(message);
});
