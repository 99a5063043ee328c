import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createArrivals } from '../../src/gateway/http/arrivals.ts';

const ERROR = { status: 503, code: 'OVERLOADED', message: 'x' } as const;
/** A request begins to arrive, or the one with this number is complete. */
const step = fc.oneof(fc.constant('BEGIN' as const), fc.nat(30));

test('of too many requests that arrive, those that have been arriving longest are rejected', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), (max, steps) => {
      const arrivals = createArrivals(max, ERROR);
      const rejected: number[] = [];
      const leave: (() => void)[] = [];
      const expected = { waiting: [] as number[], rejected: [] as number[] };
      for (const step of steps) {
        if (step === 'BEGIN') {
          const number = leave.length;
          leave.push(arrivals.add(() => rejected.push(number)));
          expected.waiting.push(number);
          if (expected.waiting.length > max) {
            expected.rejected.push(...expected.waiting.splice(0, 1));
          }
        } else {
          // Also of requests that were rejected or are complete.
          leave[step]?.();
          expected.waiting = expected.waiting.filter((number) => number !== step);
        }
        expect(rejected).toEqual(expected.rejected);
      }
    }),
  );
});
