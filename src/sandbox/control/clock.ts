import { z } from 'zod';
import { invalidField } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { moveClock } from '../state/due.ts';
import type { Controlled } from './controlled.ts';
import { isTime, time } from './fields.ts';
import { defineOperation } from './operation.ts';

/** What the clock reads. */
export const clockReading = z
  .object({
    now: z.iso.datetime().describe('The time of the sandbox.'),
    frozen: z.boolean().describe('Whether the clock is stopped.'),
  })
  .meta({ id: 'Clock' });

/** How far the clock moves. */
export const forward = z.union([
  z.strictObject({ ms: z.int().min(0).describe('How far, in milliseconds.') }),
  z.strictObject({ to: time.describe('The time to move to.') }),
]);

/** Reads the clock, moves it forward, stops it and resumes it. */
export function clockOperations({ clock, environment, exclusively }: Controlled): DescribedRoute[] {
  const show = () => ({ now: clock.now().toISOString(), frozen: clock.isFrozen() });
  const freeze = (frozen: boolean) => async () => {
    await exclusively(() => clock.freeze(environment.database, frozen));
    return show();
  };
  return [
    defineOperation({
      method: 'GET',
      path: '/clock',
      summary: 'Read the clock of the sandbox.',
      output: clockReading,
      handle: show,
    }),
    defineOperation({
      method: 'POST',
      path: '/clock/advance',
      summary:
        'Move the clock forward. Everything that is due by then happens in order, at its own time.',
      body: forward,
      either: ['ms', 'to'],
      output: clockReading,
      handle: async ({ body }) => {
        await exclusively(async () => {
          const from = clock.now();
          const to = 'ms' in body ? new Date(from.getTime() + body.ms) : new Date(body.to);
          const field = 'ms' in body ? 'ms' : 'to';
          if (to < from)
            throw invalidField(
              field,
              `The clock reads ${from.toISOString()} and moves forward only`,
            );
          if (!isTime(to)) throw invalidField(field, 'Must end before the year 9000');
          await moveClock(environment, clock, to);
        });
        return show();
      },
    }),
    defineOperation({
      method: 'POST',
      path: '/clock/freeze',
      summary: 'Stop the clock. You can still move it forward.',
      body: z.strictObject({}),
      output: clockReading,
      handle: freeze(true),
    }),
    defineOperation({
      method: 'POST',
      path: '/clock/resume',
      summary: 'Resume the clock from where it stopped.',
      body: z.strictObject({}),
      output: clockReading,
      handle: freeze(false),
    }),
  ];
}
