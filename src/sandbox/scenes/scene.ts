import { z } from 'zod';
import { recordId } from '../control/record-id.ts';

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
    .max(999_999_999_999)
    .optional()
    .describe('Minor units of the currency; by default, an amount that follows from the seed.'),
  count: z.int().min(1).max(100).default(1).describe('How many payments of this kind.'),
});

/** What a scene contains. Everything that is left out follows from the seed. */
export const sceneInput = z
  .strictObject({
    seed: z.int().min(0).max(4_294_967_295).default(1).describe('The same seed, the same scene.'),
    currency: z.string().default('EUR').describe('The funding currency of the merchant.'),
    name: z.string().min(1).max(200).optional().describe('The name of the merchant.'),
    appId: recordId.optional().describe('The app that gets access; the demo app if left out.'),
    payments: z
      .array(payment)
      .max(100)
      .default(() => paymentStates.map((state) => ({ state, count: 1 })))
      .describe('One payment in each state if left out.'),
  })
  .meta({ id: 'SceneInput' });

export type SceneInput = z.output<typeof sceneInput>;

/** What was made. */
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
        later: z
          .array(z.string())
          .describe('Transactions that were made from this one; for `recurring` only.'),
      }),
    ),
  })
  .meta({ id: 'Scene' });

export type Scene = z.output<typeof sceneOutput>;
