import { z } from 'zod';
import type { Environment } from '../environment.ts';
import type { ServiceDescription } from '../http/document.ts';
import { readBodyFields } from '../http/fields.ts';
import { FieldErrors } from '../http/http-error.ts';
import { type DescribedRoute, impliedErrors, nested } from '../http/operation.ts';
import { emptyResponse, type HttpResponse } from '../http/response.ts';
import type { HttpRequest } from '../http/router.ts';
import { processingErrors } from '../payments/processing-errors.ts';
import type { TransactionRow } from '../payments/transaction-row.ts';
import { type CardForm, readForm } from './card-form.ts';
import { toMinorUnits } from './html.ts';
import {
  findLink,
  InvalidLink,
  linkParameters,
  type PaymentLink,
  payLink,
} from './payment-link.ts';
import { amountScreen, cardScreen, invalidLinkScreen, resultScreen } from './screens.ts';

/** What the OpenAPI document says about the payment page. */
export const paymentPageService: ServiceDescription = {
  title: 'Payment page',
  description:
    'Customers make their first payment here, with a test card. The page has no authentication, no scripts and no cookies. The responses are HTML; attributes of the `main` element are for programs.',
};

const anyText = z
  .custom<unknown>(() => true)
  .transform((value) => (typeof value === 'string' ? value : ''))
  .meta({ type: 'string' });

/** The fields of the form. The page itself says which of them are wrong. */
const formFields = {
  'card.number': anyText.describe('A test card. Spaces and dashes are removed.'),
  'card.expiry': anyText.describe('`08/30`, `8/30`, `08/2030` or `0830`.'),
  'card.code': anyText.meta({ pattern: '^\\d{3}$' }),
  amount: anyText
    .default('')
    .describe('Major units, with a dot or a comma. Required if the link has no `value`.'),
};
const example = {
  card: { number: '4100 0000 0000 0000', expiry: '08/66', code: '123' },
  amount: '9.50',
};

const sentAmount = z.string().optional().describe('What the customer entered on the first screen.');
const rejected = 'its `main` element has `data-error`: a code of what is wrong';

/**
 * The payment page, on which a customer makes a first payment.
 * Specification: payments, "Payment link".
 */
export function paymentPageRoutes(environment: Environment): DescribedRoute[] {
  return [
    {
      method: 'GET',
      path: '/',
      description: {
        summary: 'Open a payment link.',
        query: z.object({ ...linkParameters, amount: sentAmount }),
        responses: {
          200: {
            description: 'A page with a form, or that the sandbox takes no real cards.',
            html: true,
          },
          400: { description: `The link is invalid: a page of which ${rejected}.`, html: true },
        },
        errors: impliedErrors(undefined, undefined),
      },
      handle: (request) =>
        withLink(environment, request, 200, async (link) => showForm(request, link)),
    },
    {
      method: 'POST',
      path: '/',
      description: {
        summary: 'Pay a link with a card. Sending it twice makes two payments.',
        query: z.object(linkParameters),
        body: nested(formFields).meta({ example }),
        takesForms: true,
        responses: {
          200: {
            description:
              'Paid, and the link has no `redirect`: the `main` element of the page has `data-transaction-id`.',
            html: true,
          },
          303: {
            description: 'Paid: leads to `redirect` with `transactionId` in the query.',
            headers: { location: { schema: { type: 'string', format: 'uri' } } },
          },
          400: {
            description: `Not paid: a page of which ${rejected}. For a declined payment, also \`data-error-code\` and \`data-failed-transaction-id\`. JSON if the body cannot be parsed.`,
            html: true,
            json: FieldErrors,
          },
        },
        errors: impliedErrors(linkParameters, formFields),
      },
      handle: (request) =>
        withLink(environment, request, 400, (link) => pay(environment, request, link)),
    },
  ];
}

/**
 * Reads the link of a request and handles it.
 *
 * @param liveStatus the status of the response for a merchant without test mode
 */
async function withLink(
  environment: Environment,
  { query }: HttpRequest,
  liveStatus: number,
  handle: (link: PaymentLink) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await handle(await findLink(environment, query));
  } catch (error) {
    if (!(error instanceof InvalidLink)) throw error;
    return invalidLinkScreen(error, error.code === 'LIVE_MERCHANT' ? liveStatus : 400);
  }
}

function showForm({ query }: HttpRequest, link: PaymentLink): HttpResponse {
  if (link.amount !== undefined) return cardScreen(link, link.amount, undefined);
  const sent = query.get('amount');
  if (sent === null) return amountScreen(link, query);
  const amount = toMinorUnits(sent, link.currency, '.,');
  if (amount !== undefined) return cardScreen(link, amount, undefined, sent);
  return amountScreen(link, query, { amount: sent.trim() === '' ? 15 : 14 }, sent);
}

async function pay(
  environment: Environment,
  request: HttpRequest,
  link: PaymentLink,
): Promise<HttpResponse> {
  const sent = await readCardForm(request);
  const amount = link.amount ?? toMinorUnits(sent.amount, link.currency, '.,');
  const result = readForm(sent, link);
  if (result.kind === 'card rejected') {
    const data = { 'data-error': 'CARD_REFUSED' };
    const problem = { title: link.language.texts.cardRejected };
    return cardScreen(link, amount, { status: 400, data, problem }, sent.amount);
  }
  if (result.kind === 'invalid') {
    const data = { 'data-error': 'FORM_INVALID' };
    return cardScreen(link, amount, { status: 400, data, errors: result.errors }, sent.amount);
  }
  const row = await payLink(environment, link, result.form);
  if (row.error_code !== null) return declinedScreen(link, row, sent.amount);
  if (link.redirect === undefined) return resultScreen(link, row.amount, row.id);
  return redirectTo(link.redirect, row.id);
}

async function readCardForm(request: HttpRequest): Promise<CardForm> {
  const fields = readBodyFields(await request.body(), formFields);
  return {
    number: fields['card.number'],
    expiry: fields['card.expiry'],
    code: fields['card.code'],
    amount: fields.amount,
  };
}

function redirectTo(redirect: URL, transactionId: string): HttpResponse {
  const target = new URL(redirect);
  // Not through `searchParams`, which would change the encoding of the other parameters.
  target.search += `${target.search === '' ? '?' : '&'}transactionId=${transactionId}`;
  return emptyResponse(303, { location: target.href, 'referrer-policy': 'no-referrer' });
}

function declinedScreen(link: PaymentLink, row: TransactionRow, sentAmount: string): HttpResponse {
  const code = row.error_code ?? 0;
  const data = {
    'data-error': 'PROCESSING_ERROR',
    'data-error-code': code,
    'data-failed-transaction-id': row.id,
  };
  const problem = {
    title: link.language.texts.declined,
    text: `${processingErrors.get(code)?.message}.`,
  };
  return cardScreen(link, row.amount, { status: 400, data, problem }, sentAmount);
}
