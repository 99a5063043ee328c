import { z } from 'zod';
import { currencies } from '../../currencies.ts';
import type { Environment } from '../environment.ts';
import { MAX_AMOUNT } from '../http/fields.ts';
import { found, httpError, invalidField } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { pendingOf } from '../payments/amounts.ts';
import { merchantById } from '../payments/merchant-row.ts';
import { applyMovement } from '../payments/movements.ts';
import { processingErrors } from '../payments/processing-errors.ts';
import { lockTransaction } from '../payments/rows.ts';
import { transactionById } from '../payments/transaction-row.ts';
import { isLoopback } from '../ports.ts';
import {
  findLink,
  InvalidLink,
  linkProblems,
  type PaymentLink,
  payLink,
} from '../pos/payment-link.ts';
import type { Controlled } from './controlled.ts';
import { recordId, text } from './fields.ts';
import { defineOperation } from './operation.ts';
import { readCard } from './test-cards.ts';

const card = {
  card: z.string().default('success').describe('The name or the number of a test card.'),
  expiry: z
    .string()
    .regex(/^\d\d\/\d\d$/, 'Must be MM/YY')
    .optional()
    .describe('MM/YY; five years from now if left out.'),
};
const amount = z.int().min(1).max(MAX_AMOUNT).describe('Minor units of the currency.');

/** A payment on the payment page. */
export const paymentInput = z.union([
  z.strictObject({
    link: z.url().describe('A link to the payment page, with its parameters.'),
    amount: amount.optional().describe('Only for a link without a `value`.'),
    ...card,
  }),
  z.strictObject({
    merchantId: recordId('mer'),
    amount,
    currency: z.string().optional().describe("By default, the merchant's funding currency."),
    reference: text(0, 1000).optional(),
    ...card,
  }),
]);

/** The transaction of a payment. */
export const paymentOutput = z
  .object({
    transactionId: z.string(),
    successful: z.boolean(),
    error: z.object({ code: z.int(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Payment' });

/** Makes first payments without a browser, and lets reservations expire. */
export function paymentOperations({ environment, addresses }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/payments',
      summary: 'Pay a link, or a merchant, with a test card, as a customer on the payment page.',
      body: paymentInput,
      either: ['link', 'merchantId'],
      output: paymentOutput,
      status: 201,
      handle: async ({ body: input }) => {
        if ('link' in input) requirePage(input.link, addresses);
        const link = await linkOf(environment, input);
        const amount = amountOf(link, input.amount);
        const chosen = readCard(input.card, input.expiry, environment.clock());
        const row = await payLink(environment, link, { ...chosen, amount });
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
      summary: 'Let a reservation expire. The pending amount is voided.',
      body: z.strictObject({}),
      output: z.object({ transactionId: z.string(), voided: z.int() }),
      handle: async ({ params }) => expire(environment, params.id ?? ''),
    }),
  ];
}

async function linkOf(
  environment: Environment,
  input: z.output<typeof paymentInput>,
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
    throw invalidField(field, linkProblem(error.code, query.get('currency') ?? ''));
  }
}

function linkProblem(code: InvalidLink['code'], currency: string): string {
  if (code === 'CURRENCY_INVALID' && currencies.has(currency)) return `${currency} is withdrawn`;
  if (code === 'LIVE_MERCHANT') return 'Must be a test merchant';
  return `The payment page rejects it: ${code}. ${linkProblems[code]}`;
}

/** A test must not pass if a program makes links that lead elsewhere. */
function requirePage(link: string, { posUrl, posIsLocal }: Controlled['addresses']): void {
  const { protocol, hostname, port, pathname } = new URL(link);
  const page = new URL(posUrl);
  const isPage =
    protocol === page.protocol && isLoopback(hostname) && port === page.port && pathname === '/';
  // Other machines reach the page by names and ports that the sandbox does not know.
  if (posIsLocal && !isPage) throw invalidField('link', `Must be a link to ${posUrl}/`);
}

function amountOf(link: PaymentLink, given: number | undefined): number {
  if (link.amount === undefined) {
    if (given === undefined) throw invalidField('amount', 'Missing: the link has no `value`');
    return given;
  }
  if (given === undefined) return link.amount;
  throw invalidField('amount', 'Leave it out: the link has a `value`');
}

async function queryOf(database: Environment['database'], id: string): Promise<URLSearchParams> {
  const { key, test } = found(await merchantById(database, id), 'This merchant');
  return new URLSearchParams({ key, ...(test ? { test: '1' } : {}) });
}

async function expire(environment: Environment, id: string) {
  const row = found(
    await transactionById(environment.database, recordId('txn').safeParse(id).data),
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
