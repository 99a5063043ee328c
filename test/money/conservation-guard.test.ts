import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { twoCannotBothApply } from '../../src/gateway/operation/guard.ts';
import { afterRead } from '../../src/gateway/operation/machine.ts';
import { type MovementKind, movementKinds } from '../../src/gateway/operation/operation.ts';
import type { TrailSnapshot } from '../../src/gateway/operation/snapshot.ts';
import { guardCases } from './models/guard-cases.ts';

type Totals = Readonly<Record<MovementKind, number>>;

const kinds = { capture: 'CAPTURE', refund: 'REFUND', void: 'VOID' } as const;

/** A snapshot whose totals consist of several entries, beside an entry of another kind. */
function createSnapshot(amount: number, totals: Totals, pendingAmount: number): TrailSnapshot {
  const trail = movementKinds.flatMap((kind) => {
    const total = totals[kind];
    const parts = total > 1 ? [1, total - 1] : [total];
    return parts
      .filter((part) => part > 0)
      .map((part, index) => ({ ref: `${kind} ${index}`, kind, amount: part }));
  });
  const dispute = { ref: 'dispute', kind: null, amount };
  return { amount, pendingAmount, trail: [...trail, dispute] };
}

describe('the conservation guard', () => {
  test.each(guardCases)(
    'returns $safe for a $movement of $amount after $captured captured, $refunded refunded, $voided voided (consistent: $consistent)',
    ({ movement, amount, captured, refunded, voided, consistent, safe }) => {
      const totals = { CAPTURE: captured, REFUND: refunded, VOID: voided };
      const pending = 1000 - captured - (consistent ? voided : 0);
      const snapshot = createSnapshot(1000, totals, pending);
      expect(twoCannotBothApply(kinds[movement], amount, snapshot)).toBe(safe);
    },
  );

  test.each([1, -1])(
    'does not count voids if `pendingAmount` differs from the totals by %i',
    (difference) => {
      const totals = { CAPTURE: 200, REFUND: 0, VOID: 100 };
      const consistent = createSnapshot(1000, totals, 700);
      const inconsistent = createSnapshot(1000, totals, 700 + difference);
      expect(twoCannotBothApply('CAPTURE', 351, consistent)).toBe(true);
      expect(twoCannotBothApply('CAPTURE', 351, inconsistent)).toBe(false);
      expect(twoCannotBothApply('VOID', 700, inconsistent)).toBe(false);
    },
  );

  test('never allows a second POST that creates a transaction', () => {
    const circumstances = { repeated: true, guardedRepost: true, tooLate: false };
    const create = { kind: 'CREATE', amount: 1000, posts: 1, snapshot: { newest: 'a' } } as const;
    expect(afterRead(create, { kind: 'ABSENT' }, circumstances)).toEqual({ to: 'UNKNOWN' });
    const capture = { kind: 'CAPTURE', amount: 1000, posts: 1 } as const;
    const snapshot = createSnapshot(1000, { CAPTURE: 0, REFUND: 0, VOID: 0 }, 1000);
    const absent = { kind: 'ENTRIES', entries: [] } as const;
    expect(afterRead({ ...capture, snapshot }, absent, circumstances)).toEqual({ to: 'SENDING' });
  });

  const kind = fc.constantFrom<MovementKind>('CAPTURE', 'REFUND', 'VOID');
  const size = fc.integer({ min: 1, max: 30 });
  const others = fc.array(fc.record({ kind, size }), { maxLength: 5 });

  test('allows a second POST only if no order of movements lets both copies apply', () => {
    const environment = fc.record({
      amount: fc.integer({ min: 1, max: 30 }),
      countsVoids: fc.boolean(),
      own: fc.record({ kind, size }),
      before: others,
      between: others,
      after: others,
    });
    fc.assert(
      fc.property(environment, ({ amount, countsVoids, own, before, between, after }) => {
        const service = createLedger(amount, countsVoids);
        for (const other of before) service.apply(other.kind, other.size);
        // Without a void the totals are consistent, whether the service counts voids or not.
        fc.pre(countsVoids || service.totals().VOID > 0 || own.kind !== 'VOID');
        const snapshot = createSnapshot(amount, service.totals(), service.pending());
        fc.pre(twoCannotBothApply(own.kind, own.size, snapshot));
        // The first POST is late: other movements, the second POST, others, then the first.
        for (const other of between) service.apply(other.kind, other.size);
        const second = service.apply(own.kind, own.size);
        for (const other of after) service.apply(other.kind, other.size);
        const first = service.apply(own.kind, own.size);
        expect(second && first).toBe(false);
      }),
      { numRuns: 20_000 },
    );
  });
});

/** A service with its stated limits: captures and voids up to what is pending, refunds up to what is captured. */
function createLedger(amount: number, countsVoids: boolean) {
  const totals = { CAPTURE: 0, REFUND: 0, VOID: 0 };
  const pending = () => amount - totals.CAPTURE - (countsVoids ? totals.VOID : 0);
  return {
    pending,
    totals: (): Totals => ({ ...totals }),
    apply: (kind: MovementKind, size: number): boolean => {
      const left = kind === 'REFUND' ? totals.CAPTURE - totals.REFUND : pending();
      if (size <= left) totals[kind] += size;
      return size <= left;
    },
  };
}
