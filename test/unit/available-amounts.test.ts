import { describe, expect, test } from 'vitest';
import { availableOf, transactionMoney } from '../../src/gateway/domain/transaction/state.ts';
import type { Transaction } from '../../src/gateway/domain/transaction/transaction-source.ts';

const capture = (amount: number) => ({ capture: true, amount });
const refund = (amount: number) => ({ refund: true, amount });

/** A successful transaction of EUR 10. */
function transaction(fields: Partial<Transaction>): Transaction {
  return { id: 'txn', successful: true, currency: 'EUR', amount: 1000, ...fields };
}

describe('the amounts that can still be moved', () => {
  test.each([
    ['nothing happened', 1000, [], { CAPTURE: 1000, REFUND: 0, VOID: 1000 }],
    ['a part is captured', 600, [capture(400)], { CAPTURE: 600, REFUND: 400, VOID: 600 }],
    [
      'captures and refunds are in several entries',
      0,
      [capture(400), refund(100), capture(600), refund(50)],
      { CAPTURE: 0, REFUND: 850, VOID: 0 },
    ],
    [
      'everything is refunded',
      0,
      [capture(1000), refund(1000)],
      { CAPTURE: 0, REFUND: 0, VOID: 0 },
    ],
    [
      'more is refunded than captured',
      600,
      [capture(400), refund(500)],
      { CAPTURE: 600, REFUND: 0, VOID: 600 },
    ],
    [
      'entries are of other kinds, with an amount or without',
      300,
      [capture(500), { void: true, amount: 200 }, { dispute: {} }, { void: true }, {}],
      { CAPTURE: 300, REFUND: 500, VOID: 300 },
    ],
  ])('are known if %s', (_, pendingAmount, trail, available) => {
    expect(availableOf(transaction({ pendingAmount, trail }))).toEqual(available);
  });

  test('are zero if the transaction failed, whatever else it contains', () => {
    const failed = transaction({ successful: false, pendingAmount: 1000, trail: [capture(400)] });
    expect(availableOf(failed)).toEqual({ CAPTURE: 0, REFUND: 0, VOID: 0 });
  });

  test.each([
    [{ successful: undefined, pendingAmount: 1000, trail: [] }, 'successful'],
    [{ trail: [] }, 'pendingAmount'],
    [{ pendingAmount: 1000 }, 'trail'],
    [{ pendingAmount: 1000, trail: [{ refund: true }] }, 'amount'],
    [{ pendingAmount: 1000, trail: [{ capture: true, amount: 'much' }] }, 'amount'],
  ])('are an error if the transaction contains %j', (fields, field) => {
    expect(() => availableOf(transaction(fields))).toThrow(expect.objectContaining({ field }));
  });
});

test('an amount of a transaction is in its currency', () => {
  expect(transactionMoney(transaction({ currency: 'DKK' }), 7)).toEqual({
    minorUnits: 7,
    currency: 'DKK',
  });
});
