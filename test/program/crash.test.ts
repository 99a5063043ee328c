import { watch } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { given } from '../support/given.ts';
import { CutOffError } from '../support/http-client.ts';
import { newKey } from '../support/new-key.ts';
import {
  type Program,
  patientSettings,
  startProgram,
  usedFolder,
  usedPostgres,
} from '../support/program.ts';
import { rest } from '../support/rest.ts';

interface Amount {
  readonly minorUnits: number;
  readonly currency: string;
}

interface Entry {
  readonly __typename: string;
  readonly createdAt: string;
  readonly amount: Amount;
  readonly balance: Amount;
  readonly fee: { readonly flat: Amount; readonly rate: Amount };
  readonly line: {
    readonly rawId: string;
    readonly createdAt: string;
    readonly balance: Amount;
    readonly fee: Amount;
    readonly transaction: { readonly id: string };
  } | null;
}

interface Snapshot {
  readonly id: string;
  readonly amount: Amount;
  readonly pendingAmount: Amount;
  readonly capturedAmount: Amount;
  readonly refundedAmount: Amount;
  readonly voidedAmount: Amount;
  readonly trail: readonly Entry[];
}

const SNAPSHOT = `fragment Snapshot on Transaction {
  id
  amount { ...Amount } pendingAmount { ...Amount } capturedAmount { ...Amount }
  refundedAmount { ...Amount } voidedAmount { ...Amount }
  trail {
    __typename createdAt amount { ...Amount } balance { ...Amount }
    fee { flat { ...Amount } rate { ...Amount } }
    line { rawId createdAt balance { ...Amount } fee { ...Amount } transaction { id } }
  }
}
fragment Amount on Money { minorUnits currency }`;

async function read(program: Program, id: string): Promise<Snapshot> {
  const query = `query($id: ID!) { transaction(id: $id) { ...Snapshot } } ${SNAPSHOT}`;
  const { data, errors } = await program.ask(query, { id });
  expect(errors).toBeUndefined();
  return data.transaction;
}

async function move(
  program: Program,
  movement: 'capture' | 'refund' | 'void',
  transactionId: string,
  amount: Amount,
) {
  const type = movement.charAt(0).toUpperCase() + movement.slice(1);
  const { data } = await program.ask(
    `mutation($input: ${type}TransactionInput!) { result: ${movement}Transaction(input: $input) {
      __typename ... on AmountTooLargeError { maximum { minorUnits currency } }
    } }`,
    { input: { transactionId, amount, idempotencyKey: newKey() } },
  );
  return data.result;
}

function total(trail: readonly Entry[], kind: string): number {
  return trail
    .filter(({ __typename }) => __typename === `${kind}TrailEntry`)
    .reduce((sum, { amount }) => sum + amount.minorUnits, 0);
}

/** Counters, trail and lines agree. */
function expectAgreement({ id, trail, ...counters }: Snapshot): void {
  expect({
    captured: total(trail, 'Capture'),
    refunded: total(trail, 'Refund'),
    voided: total(trail, 'Void'),
  }).toEqual({
    captured: counters.capturedAmount.minorUnits,
    refunded: counters.refundedAmount.minorUnits,
    voided: counters.voidedAmount.minorUnits,
  });
  expect(counters.pendingAmount.minorUnits).toBe(
    counters.amount.minorUnits - total(trail, 'Capture') - total(trail, 'Void'),
  );
  for (const { __typename, createdAt, balance, fee, line } of trail) {
    if (__typename === 'VoidTrailEntry') {
      expect(line).toBeNull();
      continue;
    }
    expect(line).toEqual({
      rawId: expect.stringMatching(/^[0-9a-f]{24}$/),
      createdAt,
      balance,
      fee: { ...fee.flat, minorUnits: fee.flat.minorUnits + fee.rate.minorUnits },
      transaction: { id },
    });
  }
}

interface Line {
  readonly id: string;
  readonly transactionId: string;
  readonly amount: { readonly amount: number };
}

/** The lines of the euro merchant, read from the service. */
async function readLines(program: Program): Promise<Line[]> {
  const { rawId } = await given(program).merchant('EUR');
  const { body } = await rest(program.paymentsUrl, program.demoKey).get(
    `/merchants/${rawId}/lines?limit=1000`,
  );
  return body;
}

const currency = 'EUR';

test('captures, refunds and voids add up, and a restart changes nothing', async () => {
  const settings = { ...patientSettings, ...(await usedPostgres()) };
  const first = await startProgram(settings);
  const id = await given(first).transaction(1000, currency);

  const captured = { __typename: 'CaptureTransactionSuccess' };
  expect(await move(first, 'capture', id, { minorUnits: 400, currency })).toEqual(captured);
  expect(await move(first, 'capture', id, { minorUnits: 700, currency })).toEqual({
    __typename: 'AmountTooLargeError',
    maximum: { minorUnits: 600, currency },
  });
  expect(await move(first, 'refund', id, { minorUnits: 100, currency })).toEqual({
    __typename: 'RefundTransactionSuccess',
  });
  expect(await move(first, 'void', id, { minorUnits: 600, currency })).toEqual({
    __typename: 'VoidTransactionSuccess',
  });

  const before = await read(first, id);
  expect(before).toMatchObject({
    amount: { minorUnits: 1000, currency },
    pendingAmount: { minorUnits: 0 },
    capturedAmount: { minorUnits: 400 },
    refundedAmount: { minorUnits: 100 },
    voidedAmount: { minorUnits: 600 },
    trail: [
      { __typename: 'CaptureTrailEntry', amount: { minorUnits: 400, currency } },
      { __typename: 'RefundTrailEntry', amount: { minorUnits: 100, currency } },
      { __typename: 'VoidTrailEntry', amount: { minorUnits: 600, currency } },
    ],
  });
  expectAgreement(before);
  const lines = await readLines(first);
  expect(await first.stop()).toMatchObject({ code: 0 });

  const second = await startProgram(settings);
  expect(await read(second, id)).toEqual(before);
  expect(await readLines(second)).toEqual(lines);
});

/**
 * Kills the program as soon as it writes to the database's log again: in the middle of a
 * change. A kill right after a response would come between two changes.
 */
function killAtNextWrite(program: Program, dataDir: string): void {
  const log = watch(join(dataDir, 'database', 'pg_wal'), () => {
    log.close();
    void program.stop('SIGKILL');
  });
}

test('when the program is killed, no acknowledged capture is lost and none is half done', async () => {
  const AMOUNT = 50;
  const TRANSACTIONS = inject('scale') === 1 ? 5 : 20;
  const CAPTURES_EACH = 10;
  const ACKNOWLEDGED_BEFORE_DEATH = 3 * TRANSACTIONS;

  const settings = { ...patientSettings, DATA_DIR: usedFolder() };
  const first = await startProgram(settings);
  const acknowledged = new Map<string, number>();
  while (acknowledged.size < TRANSACTIONS) {
    acknowledged.set(await given(first).transaction(1000, currency), 0);
  }
  const ids = [...acknowledged.keys()];

  let answers = 0;
  const writers = ids.map(async (id) => {
    for (let captured = AMOUNT; captured <= AMOUNT * CAPTURES_EACH; captured += AMOUNT) {
      const result = await move(first, 'capture', id, { minorUnits: AMOUNT, currency });
      expect(result).toEqual({ __typename: 'CaptureTransactionSuccess' });
      acknowledged.set(id, captured);
      answers += 1;
      if (answers === ACKNOWLEDGED_BEFORE_DEATH) killAtNextWrite(first, settings.DATA_DIR);
    }
  });
  const results = await Promise.allSettled(writers);
  expect(await first.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  // Only requests that the kill cut off failed: no capture was rejected before.
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(CutOffError);
  }
  expect(answers).toBeGreaterThanOrEqual(ACKNOWLEDGED_BEFORE_DEATH);
  expect(answers).toBeLessThan(TRANSACTIONS * CAPTURES_EACH);

  const second = await startProgram(settings);
  const lines = await readLines(second);
  for (const [id, promised] of acknowledged) {
    const transaction = await read(second, id);
    expectAgreement(transaction);
    const { minorUnits: captured } = transaction.capturedAmount;
    expect(captured).toBeGreaterThanOrEqual(promised);
    expect(captured).toBeLessThanOrEqual(CAPTURES_EACH * AMOUNT);
    expect(captured % AMOUNT).toBe(0);
    const own = lines.filter(({ transactionId }) => `txn_${transactionId}` === id);
    expect(own.reduce((sum, { amount }) => sum + amount.amount, 0)).toBe(captured);
    expect(own.map((line) => line.id).sort()).toEqual(
      transaction.trail.map(({ line }) => line?.rawId).sort(),
    );
  }
});
