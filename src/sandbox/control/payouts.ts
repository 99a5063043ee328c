import { z } from 'zod';
import { found, httpError } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { formatAmount } from '../payments/amounts.ts';
import { merchantById } from '../payments/merchant-row.ts';
import { payOut } from '../payments/payouts.ts';
import { readControlState, writePayoutSchedule } from '../state/sandbox-clock.ts';
import type { Controlled } from './controlled.ts';
import { recordId } from './fields.ts';
import { defineOperation } from './operation.ts';

/** A payout to make. */
export const payoutInput = z.strictObject({
  merchantId: recordId('mer'),
  amount: z
    .int()
    .min(1)
    .optional()
    .describe('Minor units of the funding currency; by default, the whole balance.'),
});

/** A payout, in minor units of the funding currency. */
export const payout = z
  .object({
    lineId: z.string(),
    merchantId: z.string(),
    amount: z.int(),
    currency: z.string(),
  })
  .meta({ id: 'Payout' });

const everyMs = z
  .int()
  .min(1_000)
  .max(366 * 24 * 3_600_000);
/** When merchants are paid out. */
export const schedule = z
  .object({
    everyMs: everyMs.nullable().describe('Null if merchants are paid out on request only.'),
    next: z.iso.datetime().nullable(),
  })
  .meta({ id: 'PayoutSchedule' });

/** Pays out merchants, on request or on a schedule. */
export function payoutOperations(controlled: Controlled): DescribedRoute[] {
  const { environment } = controlled;
  const { database } = environment;
  return [
    defineOperation({
      method: 'POST',
      path: '/payouts',
      summary: 'Pay out a merchant. A line takes the amount from the balance.',
      body: payoutInput,
      output: payout,
      status: 201,
      handle: ({ body: { merchantId, amount } }) =>
        database.transaction(async (tx) => {
          const merchant = found(await merchantById(tx, merchantId), 'This merchant');
          const { balance, currency } = merchant;
          const paid = await payOut(environment, tx, merchantId, amount);
          if (paid !== undefined) return paid;
          const wanted = amount === undefined ? 'Nothing' : `Not ${formatAmount(amount, currency)}`;
          throw httpError(
            409,
            `${wanted} can be paid out: the balance of the merchant is ${formatAmount(balance, currency)}`,
          );
        }),
    }),
    ...scheduleOperations(controlled),
  ];
}

function scheduleOperations({ environment, exclusively }: Controlled): DescribedRoute[] {
  const { database, clock } = environment;
  const show = async () => {
    const { payout_every_ms, next_payout } = await readControlState(database);
    return { everyMs: payout_every_ms, next: next_payout };
  };
  return [
    defineOperation({
      method: 'GET',
      path: '/payout-schedule',
      summary: 'Read when merchants are paid out.',
      output: schedule,
      handle: show,
    }),
    defineOperation({
      method: 'PUT',
      path: '/payout-schedule',
      summary: 'Pay out every merchant with a positive balance regularly, or stop that.',
      body: z.strictObject({ everyMs: everyMs.nullable() }),
      output: schedule,
      handle: async ({ body: { everyMs } }) => {
        await exclusively(() =>
          writePayoutSchedule(database, {
            payout_every_ms: everyMs,
            next_payout: everyMs === null ? null : new Date(clock().getTime() + everyMs),
          }),
        );
        return show();
      },
    }),
  ];
}
