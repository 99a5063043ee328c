import { z } from 'zod';
import { MAX_AMOUNT } from '../http/fields.ts';
import { name, recordId } from './fields.ts';

/** The states that a payment of a scene can be in. */
export const paymentStates = [
  'declined',
  'reserved',
  'partlyCaptured',
  'captured',
  'partlyRefunded',
  'refunded',
  'voided',
  'disputeOpen',
  'disputeWon',
  'disputeLost',
  'fraudAlert',
  'recurring',
] as const;

export type PaymentState = (typeof paymentStates)[number];

const payment = z.strictObject({
  state: z.enum(paymentStates),
  amount: z
    .int()
    .min(10)
    .max(MAX_AMOUNT)
    .optional()
    .describe('Minor units of the currency; by default, an amount that follows from the seed.'),
  count: z.int().min(1).max(100).default(1).describe('How many payments of this kind.'),
});

/** Charges that follow the first payment of the state `recurring`. */
export const LATER_CHARGES = 3;
/** The sandbox does nothing else while it makes a payment. */
const MOST_PAYMENTS = 200;

const payments = z
  .array(payment)
  .max(100)
  .superRefine((list, context) => {
    const made = list.reduce((sum, { state, count }) => sum + count * chargesOf(state), 0);
    if (made <= MOST_PAYMENTS) return;
    const message = `Must make at most ${MOST_PAYMENTS} payments, where \`recurring\` makes ${chargesOf('recurring')}; these make ${made}`;
    context.addIssue({ code: 'custom', message });
  });

function chargesOf(state: PaymentState): number {
  return state === 'recurring' ? 1 + LATER_CHARGES : 1;
}

/** What a scene contains. Everything that is left out follows from the seed. */
export const sceneInput = z
  .strictObject({
    seed: z
      .int()
      .min(0)
      .max(4_294_967_295)
      .default(1)
      .describe('The same seed makes the same scene.'),
    currency: z.string().default('EUR').describe('The funding currency of the merchant.'),
    name: name.optional().describe('The name of the merchant.'),
    appId: recordId('app')
      .optional()
      .describe('The app that gets access; the demo app if left out.'),
    payments: payments
      .default(() => paymentStates.map((state) => ({ state, count: 1 })))
      .describe('One payment in each state if left out.'),
  })
  .meta({ id: 'SceneInput' });

export type SceneInput = z.output<typeof sceneInput>;

/** A scene that was made. */
export const sceneOutput = z
  .object({
    merchant: z.object({
      id: z.string(),
      key: z.string().describe('The public key, for payment links.'),
      name: z.string(),
      currency: z.string(),
    }),
    payments: z.array(
      z.object({
        state: z.enum(paymentStates),
        transactionId: z.string(),
        amount: z.int(),
        currency: z.string(),
        reference: z.string(),
        disputeId: z.string().optional().describe('The dispute of this payment, if it has one.'),
        later: z
          .array(z.string())
          .describe('Transactions that were made from this one; for `recurring` only.'),
      }),
    ),
  })
  .meta({ id: 'Scene' });

export type Scene = z.output<typeof sceneOutput>;
