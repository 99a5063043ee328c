import type { Environment } from '../environment.ts';
import { optional, type Reader } from '../http/fields.ts';
import { emptyResponse, type HttpResponse } from '../http/response.ts';
import type { HttpRequest, Route } from '../http/router.ts';
import { processingErrors } from '../payments/processing-errors.ts';
import type { TransactionRow } from '../payments/transaction-row.ts';
import { toMinorUnits } from './amount.ts';
import { type CardForm, readForm } from './card-form.ts';
import { findLink, payLink } from './pay-link.ts';
import { InvalidLink, type PaymentLink } from './payment-link.ts';
import { amountScreen, cardScreen, invalidLinkScreen, resultScreen } from './screens.ts';

const anyText: Reader<string> = (value) => (typeof value === 'string' ? value : '');

const shape = {
  'card.number': optional(anyText),
  'card.expiry': optional(anyText),
  'card.code': optional(anyText),
  amount: optional(anyText),
};

/**
 * The payment page, on which a customer makes a first payment.
 * Specification: payments, "Payment link".
 */
export function paymentPageRoutes(environment: Environment): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      handle: (request) =>
        withLink(environment, request, 200, async (link) => showForm(request, link)),
    },
    {
      method: 'POST',
      path: '/',
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
  const fields = await request.fields(shape);
  return {
    number: fields['card.number'] ?? '',
    expiry: fields['card.expiry'] ?? '',
    code: fields['card.code'] ?? '',
    amount: fields.amount ?? '',
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
