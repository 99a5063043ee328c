import type { Environment } from '../environment.ts';
import { optional, type Reader } from '../http/fields.ts';
import { emptyResponse, type HttpResponse } from '../http/response.ts';
import type { HttpRequest, Route } from '../http/router.ts';
import { authorise } from '../payments/authorise.ts';
import type { MerchantRow } from '../payments/merchant-row.ts';
import { processingErrors } from '../payments/processing-errors.ts';
import type { TransactionRow } from '../payments/transaction-row.ts';
import { toMinorUnits } from './amount.ts';
import { type CardForm, type GoodForm, readForm } from './form.ts';
import { BadLink, type PaymentLink, readLink } from './link.ts';
import { amountScreen, badLinkScreen, cardScreen, resultScreen } from './screens.ts';

const anyText: Reader<string> = (value) => (typeof value === 'string' ? value : '');

const shape = {
  'card.number': optional(anyText),
  'card.expiry': optional(anyText),
  'card.code': optional(anyText),
  amount: optional(anyText),
};

/** The payment page: where a customer makes a first payment. Specification: payments, "Payment link". */
export function posRoutes(environment: Environment): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      handle: (request) => withLink(environment, request, 200, showPage),
    },
    { method: 'POST', path: '/', handle: (request) => withLink(environment, request, 400, pay) },
  ];
}

type Handle = (
  environment: Environment,
  request: HttpRequest,
  link: PaymentLink,
) => Promise<HttpResponse>;

async function withLink(
  environment: Environment,
  request: HttpRequest,
  liveStatus: number,
  handle: Handle,
): Promise<HttpResponse> {
  try {
    const link = await readLink(request.query, async (key) => {
      const [merchant] = await environment.database.query<MerchantRow>(
        'SELECT * FROM merchant WHERE key = $1',
        [key.replaceAll('\0', '')],
      );
      return merchant;
    });
    return await handle(environment, request, link);
  } catch (error) {
    if (!(error instanceof BadLink)) throw error;
    return badLinkScreen(error, error.code === 'LIVE_MERCHANT' ? liveStatus : 400);
  }
}

async function showPage(
  _world: Environment,
  { query }: HttpRequest,
  link: PaymentLink,
): Promise<HttpResponse> {
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
  const fields = await request.fields(shape);
  const sent: CardForm = {
    number: fields['card.number'] ?? '',
    expiry: fields['card.expiry'] ?? '',
    code: fields['card.code'] ?? '',
    amount: fields.amount ?? '',
  };
  const { texts } = link.language;
  const amount = link.amount ?? toMinorUnits(sent.amount, link.currency, '.,');
  const result = readForm(sent, link);
  if (result.kind === 'card refused') {
    const data = { 'data-error': 'CARD_REFUSED' };
    return cardScreen(
      link,
      amount,
      { status: 400, data, problem: { title: texts.cardRefused } },
      sent.amount,
    );
  }
  if (result.kind === 'errors') {
    const data = { 'data-error': 'FORM_INVALID' };
    return cardScreen(link, amount, { status: 400, data, errors: result.errors }, sent.amount);
  }
  const row = await authoriseForm(environment, link, result.form);
  if (row.error_code !== null) return declinedScreen(link, row, sent.amount);
  if (link.redirect === undefined) return resultScreen(link.language, row.id);
  const target = new URL(link.redirect);
  // By hand, because `searchParams` would write the other parameters anew.
  target.search += `${target.search === '' ? '?' : '&'}transactionId=${row.id}`;
  return emptyResponse(303, { location: target.href, 'referrer-policy': 'no-referrer' });
}

function authoriseForm(
  environment: Environment,
  link: PaymentLink,
  { card, expiry, amount }: GoodForm,
): Promise<TransactionRow> {
  return environment.database.transaction((tx) =>
    authorise(environment, tx, link.merchant, {
      card: { ...card, expiry },
      merchantInitiated: false,
      amount,
      currency: link.currency,
      custom: link.reference === undefined ? undefined : { reference: link.reference },
      tds: card.behaviour.startsWith('tds:') ? card.behaviour.slice(4) : 'none',
    }),
  );
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
    text: processingErrors.get(code)?.message ?? '',
  };
  return cardScreen(link, row.amount, { status: 400, data, problem }, sentAmount);
}
