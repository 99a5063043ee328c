import { describe, expect, test } from 'vitest';
import {
  afterPost,
  afterRead,
  type Change,
  type Circumstances,
  type Effect,
  isProof,
  type PostResult,
  type Unresolved,
} from '../../src/gateway/operation/machine.ts';
import { movementKinds } from '../../src/gateway/operation/operation.ts';
import type { TrailSnapshot } from '../../src/gateway/operation/snapshot.ts';

const rejection = { code: 'CONFLICT', message: 'Another change came first.' } as const;
const notSent = { code: 'NOT_SENT', message: 'Connection refused.' } as const;

describe('after a POST', () => {
  const results: [1 | 2, PostResult, Change][] = [
    [1, { kind: 'APPLIED' }, { to: 'SUCCEEDED', evidence: 'ANSWERED' }],
    [2, { kind: 'APPLIED' }, { to: 'SUCCEEDED', evidence: 'ANSWERED' }],
    [
      1,
      { kind: 'APPLIED', transactionId: 'new' },
      { to: 'SUCCEEDED', evidence: 'ANSWERED', transactionId: 'new' },
    ],
    [1, { kind: 'REJECTED', rejection }, { to: 'REJECTED', evidence: 'ANSWERED', rejection }],
    [
      1,
      { kind: 'REJECTED', rejection, transactionId: 'new' },
      { to: 'REJECTED', evidence: 'ANSWERED', rejection, transactionId: 'new' },
    ],
    [2, { kind: 'REJECTED', rejection }, { to: 'UNKNOWN' }],
    [2, { kind: 'REJECTED', rejection, transactionId: 'new' }, { to: 'UNKNOWN' }],
    [1, { kind: 'NOT_SENT', reason: notSent }, { to: 'REMOVED' }],
    [2, { kind: 'NOT_SENT', reason: notSent }, { to: 'UNKNOWN' }],
    [1, { kind: 'AMBIGUOUS' }, { to: 'UNKNOWN' }],
    [2, { kind: 'AMBIGUOUS' }, { to: 'UNKNOWN' }],
  ];

  test.each(results)('number %i, the result %j leads to %j', (posts, result, change) => {
    expect(afterPost(posts, result)).toStrictEqual(change);
  });
});

/** A transaction of 1000, of which nothing is captured, refunded or voided. */
const untouched: TrailSnapshot = { amount: 1000, pendingAmount: 1000, trail: [] };

/** A capture: two of 501 do not fit into {@link untouched}, two of 500 do. */
function capture(amount: number, posts: 1 | 2 = 1): Unresolved {
  return { kind: 'CAPTURE', amount, posts, snapshot: untouched };
}

const creation: Unresolved = { kind: 'CREATE', amount: 501, posts: 1, snapshot: { newest: null } };

const allCircumstances: Circumstances[] = [false, true].flatMap((repeated) =>
  [false, true].flatMap((guardedRepost) =>
    [false, true].map((tooLate) => ({ repeated, guardedRepost, tooLate })),
  ),
);

const operations: Unresolved[] = [
  creation,
  ...movementKinds.flatMap((kind) =>
    [500, 501].flatMap((amount) =>
      ([1, 2] as const).map((posts) => ({ kind, amount, posts, snapshot: untouched })),
    ),
  ),
];

const entry = { ref: 'line-7', kind: 'CAPTURE', amount: 501 } as const;

describe('after a read', () => {
  const certain: [Effect, Change][] = [
    [
      { kind: 'CREATED', transactionId: 'new' },
      { to: 'SUCCEEDED', evidence: 'READ_BACK', transactionId: 'new' },
    ],
    [
      { kind: 'DECLINED', transactionId: 'new', rejection },
      { to: 'REJECTED', evidence: 'READ_BACK', rejection, transactionId: 'new' },
    ],
    [
      { kind: 'ENTRIES', entries: [entry] },
      { to: 'SUCCEEDED', evidence: 'READ_BACK', entryRef: 'line-7' },
    ],
    [
      { kind: 'ENTRIES', entries: [entry, { ...entry, ref: 'line-8' }] },
      { to: 'UNKNOWN', needsOperator: true },
    ],
  ];

  test.each(certain)('the effect %j leads to %j in all circumstances', (effect, change) => {
    for (const operation of operations) {
      for (const circumstances of allCircumstances) {
        expect(afterRead(operation, effect, circumstances)).toStrictEqual(change);
      }
    }
  });

  const absences: Effect[] = [{ kind: 'ABSENT' }, { kind: 'ENTRIES', entries: [] }];

  test.each(absences)('that shows %j, a caller sends a second POST under the guard', (effect) => {
    const circumstances = { repeated: true, guardedRepost: true, tooLate: false };
    const change = (operation: Unresolved, changed: Partial<Circumstances> = {}) =>
      afterRead(operation, effect, { ...circumstances, ...changed });
    expect(change(capture(501))).toStrictEqual({ to: 'SENDING' });
    expect(change(capture(501), { tooLate: true })).toStrictEqual({ to: 'SENDING' });
    // Two captures of 500 fit.
    expect(change(capture(500))).toStrictEqual({ to: 'UNKNOWN' });
    expect(change(capture(501, 2))).toStrictEqual({ to: 'UNKNOWN' });
    expect(change(creation)).toStrictEqual({ to: 'UNKNOWN' });
    expect(change(capture(501), { repeated: false })).toStrictEqual({ to: 'UNKNOWN' });
    expect(change(capture(501), { guardedRepost: false })).toStrictEqual({ to: 'UNKNOWN' });
  });

  test.each(absences)(
    'that shows %j, every other operation is NOT_APPLIED or UNKNOWN',
    (effect) => {
      for (const operation of operations) {
        const safe =
          operation.kind !== 'CREATE' && operation.amount === 501 && operation.posts === 1;
        for (const circumstances of allCircumstances) {
          const { repeated, guardedRepost, tooLate } = circumstances;
          const presumed = tooLate
            ? { to: 'NOT_APPLIED', evidence: 'PRESUMED' }
            : { to: 'UNKNOWN' };
          const change = repeated && guardedRepost && safe ? { to: 'SENDING' } : presumed;
          expect(afterRead(operation, effect, circumstances)).toStrictEqual(change);
        }
      }
    },
  );
});

describe('isProof', () => {
  const changes: [boolean, Change][] = [
    [true, { to: 'SUCCEEDED', evidence: 'ANSWERED' }],
    [false, { to: 'SUCCEEDED', evidence: 'READ_BACK' }],
    [false, { to: 'REJECTED', evidence: 'ANSWERED', rejection }],
    [false, { to: 'NOT_APPLIED', evidence: 'PRESUMED' }],
    [false, { to: 'UNKNOWN' }],
    [false, { to: 'SENDING' }],
    [false, { to: 'REMOVED' }],
  ];

  test.each(changes)('returns %j for %j', (proof, change) => {
    expect(isProof(change)).toBe(proof);
  });
});
