import { z } from 'zod';
import type { Environment } from '../environment.ts';
import { httpError, invalidField } from '../http/http-error.ts';
import { pendingOf } from '../payments/amounts.ts';
import { applyMovement } from '../payments/apply-movement.ts';
import { lockTransaction } from '../payments/locks.ts';
import type { MerchantRow } from '../payments/merchant-row.ts';
import { processingErrors } from '../payments/processing-errors.ts';
import { transactionById } from '../payments/transaction-row.ts';
import { findLink, payLink } from '../pos/pay-link.ts';
import { InvalidLink, type PaymentLink } from '../pos/payment-link.ts';
import type { Controlled } from './controlled.ts';
import { type ControlOperation, defineOperation, found } from './operation.ts';
import { readCard } from './read-card.ts';
import { recordId } from './record-id.ts';

const card = {
  card: z.string().default('success').describe('The name or the number of a test card.'),
  expiry: z
    .string()
    .regex(/^\d\d\/\d\d$/, 'Must be MM/YY')
    .optional()
    .describe('MM/YY; five years from now if left out.'),
};
const amount = z.int().min(1).max(999_999_999_999).describe('Minor units of the currency.');

const body = z.union([
  z.strictObject({
    link: z.url().describe('A payment link, with its parameters.'),
    amount: amount.optional().describe('For a link without a `value`.'),
    ...card,
  }),
  z.strictObject({
    merchantId: recordId,
    amount,
    currency: z.string().optional().describe("By default, the merchant's funding currency."),
    reference: z.string().max(1000).optional(),
    ...card,
  }),
]);

const output = z
  .object({
    transactionId: z.string(),
    successful: z.boolean(),
    error: z.object({ code: z.int(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Payment' });

/** First payments without a browser, and the end of reservations. */
export function paymentOperations({ environment }: Controlled): ControlOperation[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/payments',
      summary: 'Pay a link, or a merchant, with a test card, as a customer on the payment page.',
      body,
      output,
      status: 201,
      handle: async ({ body: input }) => {
        const link = await linkOf(environment, input);
        const sent = input.amount ?? link.amount;
        if (sent === undefined) throw invalidField('amount', 'Missing: the link has no `value`');
        const chosen = readCard(input.card, input.expiry, environment.clock());
        const row = await payLink(environment, link, { ...chosen, amount: link.amount ?? sent });
        const error = row.error_code === null ? undefined : processingErrors.get(row.error_code);
        return {
          transactionId: row.id,
          successful: error === undefined,
          error: error === undefined ? null : { code: error.code, message: error.message },
        };
      },
    }),
    defineOperation({
      method: 'POST',
      path: '/transactions/:id/expiry',
      summary: 'Let a reservation expire: what is left of it is voided.',
      body: z.strictObject({}),
      output: z.object({ transactionId: z.string(), voided: z.int() }),
      handle: async ({ params }) => expire(environment, params.id ?? ''),
    }),
  ];
}

async function linkOf(
  environment: Environment,
  input: z.output<typeof body>,
): Promise<PaymentLink> {
  const query =
    'link' in input
      ? new URL(input.link).searchParams
      : await queryOf(environment.database, input.merchantId);
  if (!('link' in input)) {
    if (input.currency !== undefined) query.set('currency', input.currency);
    if (input.reference !== undefined) query.set('reference', input.reference);
  }
  try {
    return await findLink(environment, query);
  } catch (error) {
    if (!(error instanceof InvalidLink)) throw error;
    const field =
      'link' in input ? 'link' : error.code === 'CURRENCY_INVALID' ? 'currency' : 'merchantId';
    throw invalidField(field, `The payment page rejects it: ${error.code}`);
  }
}

async function queryOf(database: Environment['database'], id: string): Promise<URLSearchParams> {
  const [row] = await database.query<MerchantRow>('SELECT * FROM merchant WHERE id = $1', [id]);
  const { key, test } = found(row, 'This merchant');
  return new URLSearchParams({ key, ...(test ? { test: '1' } : {}) });
}

async function expire(environment: Environment, id: string) {
  const row = found(
    await transactionById(environment.database, recordId.safeParse(id).data),
    'This transaction',
  );
  return environment.database.transaction(async (tx) => {
    const locked = await lockTransaction(tx, row);
    const pending = pendingOf(locked);
    if (pending === 0) throw httpError(409, 'Nothing of this transaction is reserved');
    await applyMovement(environment, tx, locked, 'void', { amount: pending });
    return { transactionId: row.id, voided: pending };
  });
}
