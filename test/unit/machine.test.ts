import { describe, expect, test } from 'vitest';
import type { Change, Effect, PostResult } from '../../src/gateway/money/engine/change.ts';
import {
  afterPost,
  afterRead,
  type Circumstances,
  isProof,
  type Unresolved,
} from '../../src/gateway/money/engine/machine.ts';
import type {
  AmountRejection,
  NotSentReason,
  Rejection,
  ServiceResponse,
  SnapshotEntry,
  TrailSnapshot,
} from '../../src/gateway/money/engine/operation.ts';
import { movementKinds } from '../../src/gateway/money/engine/operation.ts';

const rejection: Rejection = { code: 'CONFLICT', message: 'no' };
const tooLarge: AmountRejection = {
  code: 'AMOUNT_TOO_LARGE',
  message: 'too much',
  maximum: { minorUnits: 0, currency: 'EUR' },
};
const reason: NotSentReason = { code: 'NOT_SENT', message: 'not now' };

const accepted: ServiceResponse = { kind: 'ACCEPTED' };
const rejected: ServiceResponse = { kind: 'REJECTED', rejection, conflict: false };
const conflict: ServiceResponse = { kind: 'REJECTED', rejection, conflict: true };
const released: ServiceResponse = { kind: 'RELEASED', reason };

function entry(name: string, amount = 501): SnapshotEntry {
  return { line: `line ${name}`, properties: `properties ${name}`, kind: 'CAPTURE', amount };
}

describe('after POST', () => {
  const results: [1 | 2, PostResult, Change][] = [
    [1, { kind: 'APPLIED' }, { to: 'SUCCEEDED', evidence: 'ANSWERED' }],
    [2, { kind: 'APPLIED' }, { to: 'SUCCEEDED', evidence: 'ANSWERED' }],
    [
      1,
      { kind: 'APPLIED', transactionId: 'new' },
      { to: 'SUCCEEDED', evidence: 'ANSWERED', transactionId: 'new' },
    ],
    [
      1,
      { kind: 'APPLIED', entries: [entry('a')] },
      { to: 'SUCCEEDED', evidence: 'ANSWERED', entry: entry('a') },
    ],
    [
      2,
      { kind: 'APPLIED', entries: [entry('a'), entry('b')] },
      { to: 'SUCCEEDED', evidence: 'ANSWERED', seen: [entry('a'), entry('b')] },
    ],
    [1, { kind: 'RESPONDED', response: accepted }, { to: 'UNKNOWN', response: accepted }],
    [2, { kind: 'RESPONDED', response: accepted }, { to: 'UNKNOWN', response: accepted }],
    [1, { kind: 'RESPONDED', response: rejected }, { to: 'UNKNOWN', response: rejected }],
    // The first POST may be the reason for it.
    [2, { kind: 'RESPONDED', response: rejected }, { to: 'UNKNOWN', response: null }],
    [1, { kind: 'RESPONDED', response: released }, { to: 'UNKNOWN', response: released }],
    [2, { kind: 'RESPONDED', response: released }, { to: 'UNKNOWN', response: released }],
    [1, { kind: 'NOT_SENT', reason }, { to: 'REMOVED' }],
    [2, { kind: 'NOT_SENT', reason }, { to: 'UNKNOWN', response: null, posts: 1 }],
    [1, { kind: 'AMBIGUOUS' }, { to: 'UNKNOWN', response: null }],
    [2, { kind: 'AMBIGUOUS' }, { to: 'UNKNOWN', response: null }],
  ];

  test.each(results)('number %i, the result %j leads to %j', (posts, result, change) => {
    expect(afterPost(posts, result)).toStrictEqual(change);
  });
});

/** A transaction of 1000 with these captures. */
function captured(...trail: readonly SnapshotEntry[]): TrailSnapshot {
  const total = trail.reduce((sum, { amount }) => sum + amount, 0);
  return {
    amount: 1000,
    pendingAmount: 1000 - total,
    capturedAmount: total,
    refundedAmount: 0,
    voidedAmount: 0,
    trail,
  };
}

const shows = (...trail: readonly SnapshotEntry[]): Effect => ({
  kind: 'TRAIL',
  now: captured(...trail),
  tooLarge: null,
});
const nothing = shows();
const notFound: Effect = { kind: 'NOT_FOUND', complete: true, searchPlace: null };

/** A capture: two of 501 do not fit into 1000, two of 500 do. */
function capture(response: ServiceResponse | null = null, amount = 501, posts: 1 | 2 = 1) {
  return { kind: 'CAPTURE', amount, posts, snapshot: captured(), response } as const;
}

function creation(response: ServiceResponse | null = null): Unresolved {
  return { kind: 'CREATE', amount: 501, posts: 1, snapshot: { newest: null }, response };
}

const quiet: Circumstances = {
  claimed: [],
  seen: [],
  repeated: false,
  guardedRepost: true,
  tooLate: false,
  afterConflict: true,
};
const repeated: Circumstances = { ...quiet, repeated: true };

const READ_BACK = { to: 'SUCCEEDED', evidence: 'READ_BACK' } as const;
const UNCHANGED = { to: 'UNKNOWN' } as const;
const NEEDS_OPERATOR = { to: 'UNKNOWN', needsOperator: true } as const;
const REJECTED = { to: 'REJECTED', evidence: 'ANSWERED', rejection } as const;
const PROVEN = { to: 'NOT_APPLIED', evidence: 'PROVEN' } as const;
const PRESUMED = { to: 'NOT_APPLIED', evidence: 'PRESUMED' } as const;

describe('a read that shows one new entry', () => {
  const one = shows(entry('own'));

  test.each([
    ['nothing', null],
    ['a 2xx without the effect', accepted],
    ['a rejection, although two cannot both apply', rejected],
    ['a conflict', conflict],
    ['a release', released],
  ])('proves a capture of which the service responded %s', (_, response) => {
    for (const circumstances of [quiet, repeated]) {
      expect(afterRead(capture(response), one, circumstances)).toStrictEqual({
        ...READ_BACK,
        entry: entry('own'),
      });
    }
  });

  test('proves a capture without a response also if two could both apply', () => {
    for (const response of [null, accepted]) {
      expect(afterRead(capture(response, 500), shows(entry('own', 500)), quiet)).toStrictEqual({
        ...READ_BACK,
        entry: entry('own', 500),
      });
    }
  });

  test.each([rejected, conflict, released])(
    'needs the operator after %j if two could both apply',
    (response) => {
      const effect = shows(entry('own', 500));
      expect(afterRead(capture(response, 500), effect, repeated)).toStrictEqual(NEEDS_OPERATOR);
    },
  );

  test('that another operation has claimed shows nothing of this one', () => {
    const claimed = { ...quiet, claimed: [{ line: 'line own', properties: null }] };
    const effect = shows(entry('own', 500));
    expect(afterRead(capture(null, 500), effect, claimed)).toStrictEqual(UNCHANGED);
    expect(afterRead(capture(rejected, 500), effect, claimed)).toStrictEqual(REJECTED);
  });

  test('that may belong to another operation proves nothing: a second POST helps, or the operator', () => {
    const seen = { ...quiet, seen: [entry('own', 500)], tooLate: true };
    const effect = shows(entry('own', 500));
    for (const response of [null, accepted, rejected, released]) {
      for (const circumstances of [seen, { ...seen, repeated: true }]) {
        expect(afterRead(capture(response, 500), effect, circumstances)).toStrictEqual(
          NEEDS_OPERATOR,
        );
      }
    }
    const own = { ...seen, seen: [entry('own')] };
    const repeats = { ...own, repeated: true };
    expect(afterRead(capture(null), one, repeats)).toStrictEqual({ to: 'SENDING', posts: 2 });
    expect(afterRead(capture(null), one, own)).toStrictEqual(UNCHANGED);
    for (const response of [rejected, conflict, released]) {
      expect(afterRead(capture(response), one, repeats)).toStrictEqual(NEEDS_OPERATOR);
    }
    const off = { ...repeats, guardedRepost: false };
    expect(afterRead(capture(null), one, off)).toStrictEqual(NEEDS_OPERATOR);
    expect(afterRead(capture(null, 501, 2), one, repeats)).toStrictEqual(NEEDS_OPERATOR);
  });
});

test('several new entries need the operator, unless the service has accepted the request', () => {
  const two = shows(entry('a', 300), entry('b', 300));
  for (const response of [null, rejected, conflict, released]) {
    expect(afterRead(capture(response, 300), two, repeated)).toStrictEqual(NEEDS_OPERATOR);
  }
  expect(afterRead(capture(accepted, 300), two, repeated)).toStrictEqual({
    ...READ_BACK,
    seen: [entry('a', 300), entry('b', 300)],
  });
});

describe('a read that shows nothing', () => {
  test('completes a rejection, and after a conflict only some seconds later', () => {
    expect(afterRead(capture(rejected), nothing, quiet)).toStrictEqual(REJECTED);
    expect(afterRead(capture(conflict), nothing, quiet)).toStrictEqual(REJECTED);
    const early = { ...repeated, afterConflict: false };
    expect(afterRead(capture(rejected), nothing, early)).toStrictEqual(REJECTED);
    expect(afterRead(capture(conflict), nothing, early)).toStrictEqual(UNCHANGED);
    expect(
      afterRead(creation({ ...rejected, transactionId: 'new' }), notFound, quiet),
    ).toStrictEqual({ ...REJECTED, transactionId: 'new' });
  });

  test('explains a rejection by the amount if less is left', () => {
    const effect: Effect = { kind: 'TRAIL', now: captured(), tooLarge };
    expect(afterRead(capture(rejected), effect, quiet)).toStrictEqual({
      ...REJECTED,
      rejection: tooLarge,
    });
    expect(afterRead(capture(null), effect, quiet)).toStrictEqual(UNCHANGED);
    const used: Effect = { kind: 'TRAIL', now: captured(entry('other', 600)), tooLarge };
    expect(afterRead(capture(null), used, quiet)).toStrictEqual(PROVEN);
  });

  test('releases what the service did not process, or sends it again for a caller', () => {
    for (const operation of [capture(released), capture(released, 500), creation(released)]) {
      const effect = operation.kind === 'CREATE' ? notFound : nothing;
      expect(afterRead(operation, effect, quiet)).toStrictEqual({ to: 'RELEASED' });
      expect(afterRead(operation, effect, repeated)).toStrictEqual({ to: 'SENDING', posts: 1 });
    }
  });

  test('gives the second POST back that the service did not process', () => {
    const operation = capture(released, 501, 2);
    for (const circumstances of [quiet, repeated]) {
      expect(afterRead(operation, nothing, circumstances)).toStrictEqual({
        to: 'UNKNOWN',
        response: null,
        posts: 1,
      });
    }
  });

  test.each([null, accepted])(
    'lets a caller send a second POST under the guard after %j',
    (response) => {
      const second = { to: 'SENDING', posts: 2 };
      expect(afterRead(capture(response), nothing, repeated)).toStrictEqual(second);
      expect(afterRead(capture(response), nothing, { ...repeated, tooLate: true })).toStrictEqual(
        second,
      );
      // Two captures of 500 fit.
      expect(afterRead(capture(response, 500), nothing, repeated)).toStrictEqual(UNCHANGED);
      expect(afterRead(capture(response, 501, 2), nothing, repeated)).toStrictEqual(UNCHANGED);
      expect(afterRead(creation(response), notFound, repeated)).toStrictEqual(UNCHANGED);
      expect(afterRead(capture(response), nothing, quiet)).toStrictEqual(UNCHANGED);
      const off = { ...repeated, guardedRepost: false };
      expect(afterRead(capture(response), nothing, off)).toStrictEqual(UNCHANGED);
    },
  );

  test('presumes NOT_APPLIED after the longest processing time, but never after a 2xx', () => {
    const tooLate = { ...quiet, tooLate: true };
    expect(afterRead(capture(null), nothing, tooLate)).toStrictEqual(PRESUMED);
    expect(afterRead(creation(null), notFound, tooLate)).toStrictEqual(PRESUMED);
    expect(afterRead(capture(accepted), nothing, tooLate)).toStrictEqual(UNCHANGED);
    expect(afterRead(creation(accepted), notFound, tooLate)).toStrictEqual(UNCHANGED);
  });

  test('proves NOT_APPLIED if the amount does not fit any more', () => {
    const used = shows(entry('other', 600));
    for (const circumstances of [quiet, repeated, { ...quiet, tooLate: true }]) {
      for (const response of [null, accepted]) {
        expect(afterRead(capture(response), used, circumstances)).toStrictEqual(PROVEN);
      }
      expect(afterRead(capture(rejected), used, circumstances)).toStrictEqual(REJECTED);
    }
    expect(afterRead(capture(released), used, quiet)).toStrictEqual({ to: 'RELEASED' });
    // 600 and 400 fit.
    expect(afterRead(capture(null, 400), used, quiet)).toStrictEqual(UNCHANGED);
  });

  test('proves nothing if an entry may be its own, or the counters do not agree with the trail', () => {
    const others = captured(entry('other', 600), entry('before', 400));
    const snapshot = captured(entry('changed', 400));
    // There are as many entries as before, but one has other properties.
    const operation = { ...capture(null, 400), snapshot };
    expect(
      afterRead(operation, { kind: 'TRAIL', now: others, tooLarge: null }, quiet),
    ).toStrictEqual(UNCHANGED);
    const now = { ...captured(entry('other', 600)), capturedAmount: 700 };
    expect(afterRead(capture(null), { kind: 'TRAIL', now, tooLarge: null }, quiet)).toStrictEqual(
      UNCHANGED,
    );
  });
});

describe('a search for a created transaction', () => {
  const created: Effect = { kind: 'CREATED', transactionId: 'new' };
  const declined: Effect = { kind: 'DECLINED', transactionId: 'new', rejection };

  test('that finds it ends the operation, whatever the service responded', () => {
    for (const response of [null, accepted, rejected, released]) {
      expect(afterRead(creation(response), created, repeated)).toStrictEqual({
        ...READ_BACK,
        transactionId: 'new',
      });
      expect(afterRead(creation(response), declined, repeated)).toStrictEqual({
        ...REJECTED,
        evidence: response?.kind === 'REJECTED' ? 'ANSWERED' : 'READ_BACK',
        transactionId: 'new',
      });
    }
  });

  test('that is not complete decides nothing, and notes its place', () => {
    const searchPlace = { after: 'some' };
    const circumstances = { ...repeated, tooLate: true };
    for (const response of [null, accepted, rejected, released]) {
      const effect: Effect = { kind: 'NOT_FOUND', complete: false, searchPlace };
      expect(afterRead(creation(response), effect, circumstances)).toStrictEqual({
        ...UNCHANGED,
        searchPlace,
      });
    }
    const complete: Effect = { kind: 'NOT_FOUND', complete: true, searchPlace };
    expect(afterRead(creation(null), complete, quiet)).toStrictEqual({ ...UNCHANGED, searchPlace });
    expect(afterRead(creation(rejected), complete, quiet)).toStrictEqual(REJECTED);
  });
});

test('a trail decides nothing about a created transaction', () => {
  expect(afterRead(creation(null), shows(entry('own')), repeated)).toStrictEqual(UNCHANGED);
});

test('every kind of movement is read in the same way', () => {
  for (const kind of movementKinds) {
    const own = { ...entry('own'), kind };
    const effect: Effect = { kind: 'TRAIL', now: { ...captured(), trail: [own] }, tooLarge: null };
    expect(afterRead({ ...capture(), kind }, effect, quiet)).toStrictEqual({
      ...READ_BACK,
      entry: own,
    });
  }
});

describe('isProof', () => {
  const changes: [boolean, Change][] = [
    [true, { to: 'SUCCEEDED', evidence: 'ANSWERED' }],
    [false, { to: 'SUCCEEDED', evidence: 'READ_BACK' }],
    [false, { to: 'REJECTED', evidence: 'ANSWERED', rejection }],
    [false, { to: 'NOT_APPLIED', evidence: 'PROVEN' }],
    [false, { to: 'UNKNOWN' }],
    [false, { to: 'RELEASED' }],
    [false, { to: 'SENDING', posts: 1 }],
    [false, { to: 'REMOVED' }],
  ];

  test.each(changes)('returns %j for %j', (proof, change) => {
    expect(isProof(change)).toBe(proof);
  });
});
