import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { twoCannotBothApply } from '../../src/gateway/operation/guard.ts';
import { afterRead } from '../../src/gateway/operation/machine.ts';
import type { MovementKind } from '../../src/gateway/operation/operation.ts';
import type { TrailSnapshot } from '../../src/gateway/operation/snapshot.ts';
import { guardCases } from './guard-cases.ts';

type Totals = Readonly<Record<MovementKind, number>>;

const kinds = { capture: 'CAPTURE', refund: 'REFUND', void: 'VOID' } as const;

/** A picture whose totals come in several entries, among them some of other kinds. */
function picture(amount: number, totals: Totals, pendingAmount: number): TrailSnapshot {
  const trail = Object.entries(totals).flatMap(([kind, total]) => {
    const parts = total > 1 ? [1, total - 1] : [total];
    return parts
      .filter((part) => part > 0)
      .map((part, index) => ({
        ref: `${kind} ${index}`,
        kind: kind as MovementKind,
        amount: part,
      }));
  });
  const dispute = { ref: 'dispute', kind: null, amount };
  return { amount, pendingAmount, trail: [...trail, dispute] };
}

describe('the conservation guard', () => {
  test.each(guardCases)(
    'of $movement $amount after $captured, $refunded, $voided, agreeing: $consistent, says $safe',
    ({ movement, amount, captured, refunded, voided, consistent, safe }) => {
      const totals = { CAPTURE: captured, REFUND: refunded, VOID: voided };
      const pending = 1000 - captured - (consistent ? voided : 0);
      expect(twoCannotBothApply(kinds[movement], amount, picture(1000, totals, pending))).toBe(
        safe,
      );
    },
  );

  test.each([1, -1])('takes counters that are off by %i for not agreeing', (off) => {
    const totals = { CAPTURE: 200, REFUND: 0, VOID: 100 };
    expect(twoCannotBothApply('CAPTURE', 351, picture(1000, totals, 700))).toBe(true);
    expect(twoCannotBothApply('CAPTURE', 351, picture(1000, totals, 700 + off))).toBe(false);
    expect(twoCannotBothApply('VOID', 700, picture(1000, totals, 700 + off))).toBe(false);
  });

  test('never allows a second payment', () => {
    const circumstances = { repeated: true, guardedRepost: true, tooLate: false };
    const operation = {
      kind: 'CREATE',
      amount: 1000,
      posts: 1,
      snapshot: { newest: 'a' },
    } as const;
    expect(afterRead(operation, { kind: 'ABSENT' }, circumstances)).toEqual({ to: 'UNKNOWN' });
    const capture = { kind: 'CAPTURE', amount: 1000, posts: 1 } as const;
    const snapshot = picture(1000, { CAPTURE: 0, REFUND: 0, VOID: 0 }, 1000);
    const absent = { kind: 'ENTRIES', entries: [] } as const;
    expect(afterRead({ ...capture, snapshot }, absent, circumstances)).toEqual({ to: 'SENDING' });
  });

  const kind = fc.constantFrom<MovementKind>('CAPTURE', 'REFUND', 'VOID');
  const size = fc.integer({ min: 1, max: 30 });
  const others = fc.array(fc.record({ kind, size }), { maxLength: 5 });

  test('when it allows a second one, no order of things lets both apply', () => {
    const world = fc.record({
      amount: fc.integer({ min: 1, max: 30 }),
      countsVoids: fc.boolean(),
      own: fc.record({ kind, size }),
      before: others,
      between: others,
      after: others,
    });
    fc.assert(
      fc.property(world, ({ amount, countsVoids, own, before, between, after }) => {
        const service = createLedger(amount, countsVoids);
        for (const other of before) service.apply(other.kind, other.size);
        // Without a void its counters agree, whether it counts them or not.
        fc.pre(countsVoids || service.totals().VOID > 0 || own.kind !== 'VOID');
        const shown = picture(amount, service.totals(), service.pending());
        fc.pre(twoCannotBothApply(own.kind, own.size, shown));
        // The first POST was lost or late: others, the second, others, then the late one.
        for (const other of between) service.apply(other.kind, other.size);
        const second = service.apply(own.kind, own.size);
        for (const other of after) service.apply(other.kind, other.size);
        const late = service.apply(own.kind, own.size);
        expect(second && late).toBe(false);
      }),
      { numRuns: 20_000 },
    );
  });
});

/** A service by its stated limits: captures and voids within what is pending, refunds within captures. */
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
