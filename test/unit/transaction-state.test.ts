import { expect, test } from 'vitest';
import { stateOf } from '../../src/gateway/domain/transaction/state.ts';

const AMOUNT = 3;
const values = [0, 1, 2, 3];
const sums = [0, 1, 3];

/** The order of `TransactionState` in the schema, over what is known to have moved. */
function rowOf(captured: number, refunded: number, voided: number, pending: number): string {
  const rows: [state: string, applies: boolean][] = [
    ['VOIDED', captured === 0 && pending === 0 && voided >= AMOUNT],
    ['EXPIRED', captured === 0 && pending === 0],
    ['AUTHORIZED', captured === 0],
    ['REFUNDED', refunded >= captured],
    ['PARTIALLY_REFUNDED', refunded > 0],
    ['PARTIALLY_CAPTURED', pending > 0],
  ];
  return rows.find(([, applies]) => applies)?.[0] ?? 'CAPTURED';
}

const entry = (kind: string, amount: number) =>
  amount === 0 ? [] : [{ [kind]: true, amount, created: '2026-01-01T00:00:00Z' }];

test('a declined transaction is declined, whatever its counters are', () => {
  expect(stateOf({ id: 't', successful: false })).toBe('DECLINED');
});

test('for every combination of counters and trail, the state is the first row that applies', () => {
  const seen = new Map<string, number>();
  for (const capturedAmount of values)
    for (const refundedAmount of values)
      for (const voidedAmount of values)
        for (const pendingAmount of values)
          for (const captures of sums)
            for (const refunds of sums)
              for (const voids of sums) {
                const trail = [
                  ...entry('capture', captures),
                  ...entry('refund', refunds),
                  ...entry('void', voids),
                ];
                const counters = { capturedAmount, refundedAmount, voidedAmount, pendingAmount };
                const state = stateOf({
                  id: 't',
                  successful: true,
                  amount: AMOUNT,
                  trail,
                  ...counters,
                });
                const refunded = Math.max(refundedAmount, refunds);
                const voided = Math.max(voidedAmount, voids);
                const captured = Math.max(capturedAmount, captures, refunded);
                const left = Math.max(0, AMOUNT - captured - voided);
                const expected = rowOf(captured, refunded, voided, Math.min(pendingAmount, left));
                expect(state, JSON.stringify({ ...counters, trail })).toBe(expected);
                seen.set(state, (seen.get(state) ?? 0) + 1);
              }
  expect([...seen.keys()].sort()).toEqual([
    'AUTHORIZED',
    'CAPTURED',
    'EXPIRED',
    'PARTIALLY_CAPTURED',
    'PARTIALLY_REFUNDED',
    'REFUNDED',
    'VOIDED',
  ]);
});

test('a refund that lowered `capturedAmount` is a refund of what was captured', () => {
  const counters = { capturedAmount: 1, refundedAmount: 2, voidedAmount: 0, pendingAmount: 0 };
  const trail = [...entry('capture', 3), ...entry('refund', 2)];
  expect(stateOf({ id: 't', successful: true, amount: AMOUNT, trail, ...counters })).toBe(
    'PARTIALLY_REFUNDED',
  );
});

test('a state that would need a field that cannot be read is an error', () => {
  const counters = { capturedAmount: 1, refundedAmount: 'x', voidedAmount: 0, pendingAmount: 0 };
  expect(() =>
    stateOf({ id: 't', successful: true, amount: AMOUNT, trail: [], ...counters }),
  ).toThrow('refundedAmount');
});
