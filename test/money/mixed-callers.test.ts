import { describe, expect, test } from 'vitest';
import { newKey } from '../support/new-key.ts';
import { rest } from '../support/rest.ts';
import { type Crowd, crowds, startCrowd } from './crowd.ts';
import type { Movement } from './movement.ts';
import { settled } from './settled.ts';
import { findOperation, submit } from './submit.ts';

const CALLERS = 20;
const EACH = 3;
const TRANSACTIONS = 5;

/** What one caller wants; no two movements are of the same size, so each entry tells whose it is. */
interface Wish {
  readonly movement: Movement;
  readonly transactionId: string;
  readonly minorUnits: number;
  readonly idempotencyKey: string;
}

const movements: readonly Movement[] = ['capture', 'capture', 'refund', 'void'];

async function transactionsOf(crowd: Crowd, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await crowd.books.charge('capture'));
  return ids;
}

/** Captures past all gateways, between what their callers do. */
async function outsider(crowd: Crowd, ids: readonly string[]): Promise<number[]> {
  const { paymentsUrl, demoApp } = crowd.sandbox;
  const payments = rest(paymentsUrl, demoApp.key);
  const done: number[] = [];
  for (let amount = 1; amount <= 4 * ids.length; amount++) {
    const id = (ids[amount % ids.length] as string).replace('txn_', '');
    const { status } = await payments.post(`/transactions/${id}/captures`, { amount });
    if (status === 201) done.push(amount);
  }
  return done;
}

describe.each(crowds)('before %s', (_where, open) => {
  test('operations and books agree, whoever moves what at once', async () => {
    const crowd = await startCrowd(open);
    const ids = await transactionsOf(crowd, TRANSACTIONS);
    const wishes = Array.from(
      { length: CALLERS * EACH },
      (_, index): Wish => ({
        movement: movements[(index * 7) % movements.length] as Movement,
        transactionId: ids[(index * 3) % ids.length] as string,
        minorUnits: 100 + index * 3,
        idempotencyKey: newKey(),
      }),
    );
    const serve = async (caller: number) => {
      const told = [];
      for (const wish of wishes.slice(caller * EACH, (caller + 1) * EACH)) {
        const { movement, minorUnits, ...input } = wish;
        const amount = { minorUnits, currency: 'EUR' };
        const send = () => submit(crowd.caller(caller), movement, { ...input, amount });
        told.push({ wish, ...(await settled(send)) });
      }
      return told;
    };
    const [outside, ...told] = await Promise.all([
      outsider(crowd, ids),
      ...Array.from({ length: CALLERS }, (_, caller) => serve(caller)),
    ]);

    const expected = outside.map((amount) => ({ kind: 'capture', amount }));
    const ends = { SUCCEEDED: 0, REFUSED: 0 };
    for (const { wish, last } of told.flat()) {
      const found = await findOperation(
        crowd.caller(0),
        crowd.books.merchantId,
        wish.idempotencyKey,
      );
      const operation = found.data.moneyOperation;
      if (last.__typename.endsWith('Success')) {
        expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'ANSWERED' });
        expect(last.trailEntry.amount.minorUnits).toBe(wish.minorUnits);
        expected.push({ kind: wish.movement, amount: wish.minorUnits });
        ends.SUCCEEDED++;
      } else {
        expect(['AMOUNT_TOO_LARGE', 'CONFLICT', 'UPSTREAM_REJECTED']).toContain(last.code);
        expect([undefined, 'REJECTED']).toContain(operation?.status);
        ends.REFUSED++;
      }
    }
    const entries = await Promise.all(ids.map((id) => crowd.books.entries(id)));
    const byAmount = (a: { amount: number }, b: { amount: number }) => a.amount - b.amount;
    expect(entries.flat().sort(byAmount)).toEqual(expected.sort(byAmount));
    // Neither everything nor nothing fitted, or this has shown little.
    expect(Math.min(ends.SUCCEEDED, ends.REFUSED)).toBeGreaterThan(5);
  });
});
