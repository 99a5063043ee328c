import { describe, expect, test } from 'vitest';
import { reasonToSkip } from '../support/installed.ts';
import { type Constants, search } from './support/spin.ts';

const why = reasonToSkip({ spin: '-V', gcc: '--version' });
if (why !== '') console.warn(`The Promela model${why}`);

/** Everything that is left: a second copy does not fit. */
const full = { TOTAL: 2, AMOUNT: 2, OTHER: 1 };
/** A small part: a second copy fits. */
const partial = { TOTAL: 4, AMOUNT: 1, OTHER: 2 };
/** Half: two operations fit, and a second copy of the second one does not. */
const half = { TOTAL: 2, AMOUNT: 1, OTHER: 2, OPERATIONS: 2 };
const refund = { KIND: 'REFUND', TOTAL: 3, CAPTURED: 2, AMOUNT: 2, OTHER: 1, OUTSIDE: 2 };
const ignoredVoids = { TOTAL: 4, AMOUNT: 2, IGNORES_VOIDS: 1 };

/** Constants of `money.pml`. */
const worlds: Record<string, Constants> = {
  'a full capture, and an identical one by somebody else': { ...full, IDENTICAL: 1 },
  'a partial capture, and an identical one by somebody else': { ...partial, IDENTICAL: 1 },
  'a full capture and lying answers': { ...full, LIES: 1, IDENTICAL: 1 },
  'a partial capture and lying answers': { ...partial, LIES: 1, IDENTICAL: 1 },
  'a full capture that an intermediary repeats': { ...full, REPEATS: 1, REQUESTS: 3 },
  'a partial capture that an intermediary repeats': { ...partial, REPEATS: 1, REQUESTS: 3 },
  'a full capture and stale reads': { ...full, LAG: 1, TORN: 1, REQUESTS: 3 },
  'a partial capture and stale reads': { ...partial, LAG: 1, TORN: 1, REQUESTS: 3 },
  'two captures, and an identical one by somebody else': { ...half, IDENTICAL: 1, REQUESTS: 3 },
  'two captures and stale reads': { ...half, LAG: 1, OUTSIDE: 0 },
  'two captures, of which only one fits': { ...full, OPERATIONS: 2, OUTSIDE: 0 },
  'two captures, lying answers and an intermediary': {
    ...half,
    LIES: 1,
    REPEATS: 1,
    OUTSIDE: 0,
    REQUESTS: 3,
  },
  'a full capture, an operator and a longest processing time': {
    ...full,
    PRESUMES: 1,
    OPERATOR: 1,
  },
  'two captures, an operator and a longest processing time': {
    ...half,
    IDENTICAL: 1,
    PRESUMES: 1,
    OPERATOR: 1,
    REQUESTS: 3,
  },
  'a refund': { ...refund, REQUESTS: 3 },
  'a partial refund, and an identical one by somebody else': {
    ...refund,
    CAPTURED: 3,
    AMOUNT: 1,
    OTHER: 2,
    OUTSIDE: 1,
    IDENTICAL: 1,
  },
  'a full void': { ...full, KIND: 'VOID', IDENTICAL: 1 },
  'a partial void and stale reads': { ...partial, KIND: 'VOID', LAG: 1 },
  'a capture by a service that ignores voids': { ...ignoredVoids, OTHER: 1 },
  'a capture beside a large void that the service ignores': { ...ignoredVoids, OTHER: 3 },
};

/** Each fault, with a world in which it does harm. */
const faults: Record<string, Constants> = {
  NO_GUARD: partial,
  GUARD_BELIEVES_VOIDS: { ...ignoredVoids, OTHER: 1 },
  NO_FENCING: full,
  NO_STATE_CHECK: full,
  RECORDED_AGAIN: full,
  NO_LOCK: half,
  NO_CONFIRMATION: { ...full, REPEATS: 1 },
  CONFLICT_AT_ONCE: { ...full, REPEATS: 1 },
  EMPTY_BELIEVED: { ...full, LIES: 1 },
  NO_CLAIMS: { ...half, LAG: 1 },
  EXHAUSTED_DESPITE_ENTRY: full,
  EXHAUSTED_DESPITE_COUNTERS: { ...ignoredVoids, OTHER: 3 },
  EXHAUSTED_BY_CAPTURED: refund,
  SECOND_NOT_COUNTED: full,
  UNSENT_SECOND_REMOVES: full,
  SECOND_RELEASES: full,
  SECOND_REJECTS: full,
  LEASE_REMOVES_SENDING: full,
  PRESUMED_EARLY: { ...partial, PRESUMES: 1 },
};

describe(`the Promela model${why}`, () => {
  test.skipIf(why !== '')(
    'keeps every guarantee in every world, and reaches every statement',
    async () => {
      let unreached: Map<string, string> | undefined;
      for (const [name, constants] of Object.entries(worlds)) {
        const start = performance.now();
        const report = await search(constants);
        const seconds = ((performance.now() - start) / 1_000).toFixed(1);
        console.info(`${name}: ${report.states} states in ${seconds} s`);
        expect(report, name).toMatchObject({ errors: 0, isComplete: true });
        const here = new Map(
          report.unreached.map(({ id, line, text }) => [id, `${line}: ${text}`]),
        );
        const before = unreached ?? here;
        unreached = new Map([...before].filter(([id]) => here.has(id)));
      }
      // The processes never end.
      expect([...(unreached ?? [])].filter(([, text]) => !text.endsWith(': -end-'))).toEqual([]);
    },
  );

  test.skipIf(why !== '').each(Object.entries(faults))('fails with %s', async (fault, world) => {
    const { errors, violated } = await search({ ...world, [fault]: 1 });
    expect({ errors, violated }).toEqual({
      errors: 1,
      violated: expect.stringContaining('assertion violated'),
    });
  });
});
