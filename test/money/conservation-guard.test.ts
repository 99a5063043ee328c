import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canNeverApply, twoCannotBothApply } from '../../src/gateway/money/engine/guard.ts';
import type { TrailSnapshot } from '../../src/gateway/money/engine/operation.ts';
import { type MovementKind, movementKinds } from '../../src/gateway/money/engine/operation.ts';
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
      .map((part, index) => {
        const name = `${kind} ${index}`;
        return { line: null, properties: name, kind, amount: part };
      });
  });
  const dispute = { line: null, properties: 'dispute', kind: null, amount };
  return {
    amount,
    pendingAmount,
    capturedAmount: totals.CAPTURE,
    refundedAmount: totals.REFUND,
    voidedAmount: totals.VOID,
    trail: [...trail, dispute],
  };
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

describe('exhaustion', () => {
  const totals = { CAPTURE: 500, REFUND: 100, VOID: 200 };

  test.each<[MovementKind, number, boolean]>([
    ['CAPTURE', 300, false], // 500 + 200 + 300 = 1000: it fits
    ['CAPTURE', 301, true],
    ['VOID', 300, false],
    ['VOID', 301, true],
    ['REFUND', 700, false], // 100 + 700 = 1000 - 200: it may fit after a capture
    ['REFUND', 701, true],
  ])('of a %s of %i is %j', (kind, amount, never) => {
    const now = createSnapshot(1000, totals, 300);
    expect(canNeverApply(kind, amount, now)).toBe(never);
    // The counter may be what is left to refund.
    expect(canNeverApply(kind, amount, { ...now, capturedAmount: 400 })).toBe(never);
  });

  test.each<Partial<TrailSnapshot>>([
    { pendingAmount: 299 },
    { pendingAmount: 500 },
    { capturedAmount: 501 },
    { capturedAmount: null },
    { refundedAmount: 99 },
    { refundedAmount: null },
    { voidedAmount: 201 },
    { voidedAmount: null },
  ])('is not proven by counters that do not agree with the trail: %j', (counters) => {
    const now = { ...createSnapshot(1000, totals, 300), ...counters };
    for (const kind of movementKinds) expect(canNeverApply(kind, 1001, now)).toBe(false);
  });

  test('is not proven if the trail may lack captures of the amount that was voided and refunded', () => {
    // A service that ignores voids shows the same counters after a capture of 400 that is not
    // in the trail yet, if it subtracts refunds from `capturedAmount`.
    const ambiguous = createSnapshot(1000, { CAPTURE: 600, REFUND: 400, VOID: 400 }, 0);
    const certain = { ...ambiguous, capturedAmount: 200 };
    expect(canNeverApply('CAPTURE', 400, ambiguous)).toBe(false);
    expect(canNeverApply('CAPTURE', 400, certain)).toBe(true);
    expect(twoCannotBothApply('REFUND', 101, ambiguous)).toBe(false);
    expect(twoCannotBothApply('REFUND', 101, certain)).toBe(true);
    expect(twoCannotBothApply('VOID', 1, ambiguous)).toBe(false);
    expect(twoCannotBothApply('VOID', 1, certain)).toBe(true);
    const nothingVoided = createSnapshot(1000, { CAPTURE: 1000, REFUND: 0, VOID: 0 }, 0);
    expect(canNeverApply('CAPTURE', 1, nothingVoided)).toBe(true);
  });

  const kind = fc.constantFrom<MovementKind>('CAPTURE', 'REFUND', 'VOID');
  const size = fc.integer({ min: 1, max: 30 });
  const others = fc.array(fc.record({ kind, size }), { maxLength: 8 });

  test('is proven only if no order of later movements lets the operation apply', () => {
    const environment = fc.record({
      amount: fc.integer({ min: 1, max: 30 }),
      own: fc.record({ kind, size }),
      before: others,
      after: others,
    });
    fc.assert(
      fc.property(environment, ({ amount, own, before, after }) => {
        const service = createLedger(amount, true);
        for (const other of before) service.apply(other.kind, other.size);
        const now = createSnapshot(amount, service.totals(), service.pending());
        fc.pre(canNeverApply(own.kind, own.size, now));
        for (const other of after) {
          service.apply(other.kind, other.size);
          expect(service.fits(own.kind, own.size)).toBe(false);
        }
      }),
      { numRuns: 20_000 },
    );
  });
});

/** A service with its stated limits: captures and voids up to what is pending, refunds up to what is captured. */
function createLedger(amount: number, countsVoids: boolean) {
  const totals = { CAPTURE: 0, REFUND: 0, VOID: 0 };
  const pending = () => amount - totals.CAPTURE - (countsVoids ? totals.VOID : 0);
  const fits = (kind: MovementKind, size: number) =>
    size <= (kind === 'REFUND' ? totals.CAPTURE - totals.REFUND : pending());
  return {
    pending,
    fits,
    totals: (): Totals => ({ ...totals }),
    apply: (kind: MovementKind, size: number): boolean => {
      const applies = fits(kind, size);
      if (applies) totals[kind] += size;
      return applies;
    },
  };
}
