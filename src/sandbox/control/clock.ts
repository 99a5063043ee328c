import { z } from 'zod';
import { invalidField } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { moveClock } from '../state/due.ts';
import type { Controlled } from './controlled.ts';
import { isTime, time } from './fields.ts';
import { defineOperation } from './operation.ts';

const output = z
  .object({
    now: z.iso.datetime().describe('The time of the sandbox.'),
    frozen: z.boolean().describe('Whether the clock stands still.'),
  })
  .meta({ id: 'Clock' });

const forward = z.union([
  z.strictObject({ ms: z.int().min(0).describe('How far, in milliseconds.') }),
  z.strictObject({ to: time.describe('The time to move to.') }),
]);

/** The clock: read, move forward, stop. */
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
      output,
      handle: show,
    }),
    defineOperation({
      method: 'POST',
      path: '/clock/advance',
      summary:
        'Move the clock forward. What is due until then happens in order, each at its own time.',
      body: forward,
      either: ['ms', 'to'],
      output,
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
      summary: 'Stop the clock. It still moves when you move it forward.',
      body: z.strictObject({}),
      output,
      handle: freeze(true),
    }),
    defineOperation({
      method: 'POST',
      path: '/clock/resume',
      summary: 'Let the clock go on from where it stands.',
      body: z.strictObject({}),
      output,
      handle: freeze(false),
    }),
  ];
}
