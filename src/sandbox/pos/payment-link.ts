import { flagFromWord } from '../http/fields.ts';
import { isChargeable } from '../payments/chargeable-currencies.ts';
import type { MerchantRow } from '../payments/merchant-row.ts';
import { toMinorUnits } from './amount.ts';
import { type Language, languageOf } from './language.ts';

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
  /** Minor units. Omitted for a point of sale, where the customer enters the amount. */
  readonly amount?: number;
  readonly reference?: string;
  readonly text?: string;
  readonly redirect?: URL;
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

const MAX_TEXT = 1000;
const MAX_REDIRECT = 2000;
const NAMES = [
  'key',
  'test',
  'currency',
  'value',
  'reference',
  'text',
  'redirect',
  'locale',
  'recurring',
] as const;

/**
 * Reads the parameters of a link. Only `key` is required, and unknown parameters are ignored.
 * Throws {@link InvalidLink}.
 */
export async function readLink(
  query: URLSearchParams,
  findMerchant: (key: string) => Promise<MerchantRow | undefined>,
  now: Date,
): Promise<PaymentLink> {
  const language = languageOf(query.get('locale') ?? undefined);
  const fail = (code: InvalidLink['code']) => new InvalidLink(code, language);
  const sent: Partial<Record<(typeof NAMES)[number], string>> = {};
  for (const name of NAMES) {
    const values = query.getAll(name);
    if (values.length > 1) throw fail('PARAMETER_INVALID');
    if (values[0] !== undefined) sent[name] = values[0];
  }

  if (!sent.key) throw fail('KEY_MISSING');
  const merchant = await findMerchant(sent.key);
  if (merchant === undefined) throw fail('KEY_UNKNOWN');
  const test = sent.test === undefined ? false : flagFromWord(sent.test);
  if (test === undefined) throw fail('PARAMETER_INVALID');
  if (test !== merchant.test) throw fail('TEST_MODE_MIXED');
  if (!merchant.test) throw fail('LIVE_MERCHANT');

  const currency = sent.currency ?? merchant.currency;
  if (!isChargeable(currency, now)) throw fail('CURRENCY_INVALID');
  const amount = sent.value === undefined ? undefined : toMinorUnits(sent.value, currency, '.');
  if (sent.value !== undefined && amount === undefined) throw fail('VALUE_INVALID');
  const redirect = sent.redirect === undefined ? undefined : toRedirect(sent.redirect);
  if (redirect === null) throw fail('REDIRECT_INVALID');
  const recurring = sent.recurring === undefined ? false : flagFromWord(sent.recurring);
  if (recurring === undefined || [sent.text, sent.reference].some(tooLong)) {
    throw fail('PARAMETER_INVALID');
  }
  return {
    merchant,
    currency,
    recurring,
    language,
    ...(amount === undefined ? {} : { amount }),
    ...(sent.reference ? { reference: sent.reference } : {}),
    ...(sent.text ? { text: sent.text } : {}),
    ...(redirect === undefined ? {} : { redirect }),
  };
}

function tooLong(text: string | undefined): boolean {
  if (text === undefined) return false;
  return [...text].length > MAX_TEXT || text.includes('\0') || !text.isWellFormed();
}

/** Parses an http or https URL without user name and password. Returns null for anything else. */
function toRedirect(text: string): URL | null {
  if (text.length > MAX_REDIRECT || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  // A URL allows more characters in a host, but some of them have a meaning in the page's policy.
  const plain = /^[\w.:[\]-]+$/.test(url.host);
  return plain && url.username === '' && url.password === '' ? url : null;
}
