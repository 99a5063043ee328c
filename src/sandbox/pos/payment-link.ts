import { z } from 'zod';
import type { Environment } from '../environment.ts';
import { flagWord, text } from '../http/fields.ts';
import { authorise } from '../payments/authorise.ts';
import { activeCurrencies, isChargeable } from '../payments/chargeable-currencies.ts';
import type { MerchantRow } from '../payments/merchant-row.ts';
import { tdsOf } from '../payments/test-cards.ts';
import type { TransactionRow } from '../payments/transaction-row.ts';
import type { ValidForm } from './card-form.ts';
import { type Language, languageOf, toMinorUnits } from './html.ts';

/** The reason why a link is invalid. */
export type LinkError =
  | 'KEY_MISSING'
  | 'KEY_UNKNOWN'
  | 'TEST_MODE_MIXED'
  | 'CURRENCY_INVALID'
  | 'VALUE_INVALID'
  | 'REDIRECT_INVALID'
  | 'PARAMETER_INVALID';

/** A valid payment link. Specification: payments, "Payment link". */
export interface PaymentLink {
  readonly merchant: MerchantRow;
  readonly currency: string;
  /** Minor units. Undefined for a point of sale, where the customer enters the amount. */
  readonly amount: number | undefined;
  readonly reference: string | undefined;
  readonly text: string | undefined;
  readonly redirect: URL | undefined;
  readonly recurring: boolean;
  readonly language: Language;
}

/** Thrown for an invalid link. `LIVE_MERCHANT` is a valid link that the sandbox does not serve. */
export class InvalidLink extends Error {
  readonly code: LinkError | 'LIVE_MERCHANT';
  readonly language: Language;

  constructor(code: InvalidLink['code'], language: Language) {
    super(code);
    this.code = code;
    this.language = language;
  }
}

/** The parameters of a link. */
export const linkParameters = {
  key: z.string().min(1).meta({ format: 'uuid' }).describe('Public key of the merchant.'),
  test: flagWord.optional().describe('A "yes" for a test merchant, left out for any other.'),
  currency: z
    .string()
    .meta({ enum: activeCurrencies })
    .optional()
    .describe('By default, the funding currency of the merchant.'),
  value: z
    .string()
    .meta({ pattern: '^\\d+(\\.\\d{1,4})?$' })
    .optional()
    .describe('Amount in major units. Without it, the page asks for the amount.'),
  reference: text(0, 1000).optional().describe('Kept as `custom.reference` of the transaction.'),
  text: text(0, 1000).optional().describe('Shown on the page.'),
  redirect: z
    .string()
    .max(2000)
    .refine(isRedirect)
    .transform((url) => new URL(url))
    .meta({ format: 'uri' })
    .optional()
    .describe('Where the customer goes after the payment: an http or https URL.'),
  locale: z
    .string()
    .optional()
    .describe('Language of the page, optionally with a country: `de` or `de_AT`.'),
  recurring: flagWord.optional().describe('Whether the page asks for consent to later payments.'),
};

/** Whether a text is an http or https URL without a user name and a password. */
function isRedirect(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { host, username, password } = new URL(text);
  // A URL allows more characters in a host, but some of them have a meaning in the page's policy.
  return /^[\w.:[\]-]+$/.test(host) && username === '' && password === '';
}

/**
 * Reads the parameters of a link. Only `key` is required, and unknown parameters are ignored.
 * Throws {@link InvalidLink}.
 */
export async function findLink(
  { database, clock }: Environment,
  query: URLSearchParams,
): Promise<PaymentLink> {
  const language = languageOf(query.get('locale') ?? undefined);
  const fail = (code: InvalidLink['code']) => new InvalidLink(code, language);
  if (Object.keys(linkParameters).some((name) => query.getAll(name).length > 1)) {
    throw fail('PARAMETER_INVALID');
  }
  function read<Name extends keyof typeof linkParameters>(name: Name, code: LinkError) {
    const field: z.ZodType = linkParameters[name];
    const { success, data } = field.safeParse(query.get(name) ?? undefined);
    if (!success) throw fail(code);
    return data as z.output<(typeof linkParameters)[Name]>; // of the schema with this name
  }

  const [merchant] = await database.query<MerchantRow>('SELECT * FROM merchant WHERE key = $1', [
    read('key', 'KEY_MISSING').replaceAll('\0', ''),
  ]);
  if (merchant === undefined) throw fail('KEY_UNKNOWN');
  const test = read('test', 'PARAMETER_INVALID') ?? false;
  if (test !== merchant.test) throw fail('TEST_MODE_MIXED');
  if (!merchant.test) throw fail('LIVE_MERCHANT');

  const currency = read('currency', 'CURRENCY_INVALID') ?? merchant.currency;
  if (!isChargeable(currency, clock())) throw fail('CURRENCY_INVALID');
  const value = read('value', 'VALUE_INVALID');
  const amount = value === undefined ? undefined : toMinorUnits(value, currency, '.');
  if (value !== undefined && amount === undefined) throw fail('VALUE_INVALID');
  return {
    merchant,
    currency,
    amount,
    redirect: read('redirect', 'REDIRECT_INVALID'),
    recurring: read('recurring', 'PARAMETER_INVALID') ?? false,
    reference: read('reference', 'PARAMETER_INVALID') || undefined,
    text: read('text', 'PARAMETER_INVALID') || undefined,
    language,
  };
}

/** What is wrong with a link, in English, for the developer who made it. */
export const linkProblems: Readonly<Record<LinkError, string>> = {
  KEY_MISSING: 'The parameter "key" is missing.',
  KEY_UNKNOWN: 'No merchant has this "key".',
  TEST_MODE_MIXED:
    'The parameter "test" must be 1 for a test merchant, and must be left out for any other.',
  CURRENCY_INVALID:
    'The "currency" must be an active ISO 4217 code. Without it, the funding currency of the merchant must be one.',
  VALUE_INVALID:
    'The "value" must be an amount above zero, with a dot and no more decimals than the currency has.',
  REDIRECT_INVALID:
    'The "redirect" must be an http or https URL without a user name, of at most 2000 characters.',
  PARAMETER_INVALID:
    'A parameter is repeated, a text has more than 1000 characters, or "test" or "recurring" is not a Boolean.',
};

/** Pays a link with a card. The transaction of a declined payment has an error code. */
export function payLink(
  environment: Environment,
  link: PaymentLink,
  { card, expiry, amount }: ValidForm,
): Promise<TransactionRow> {
  return environment.database.transaction((tx) =>
    authorise(environment, tx, link.merchant, {
      card: { ...card, expiry },
      merchantInitiated: false,
      amount,
      currency: link.currency,
      custom: link.reference === undefined ? undefined : { reference: link.reference },
      tds: tdsOf(card),
    }),
  );
}
