import { currencies } from '../../currencies.ts';
import { flagFromWord } from '../http/fields.ts';
import type { MerchantRow } from '../payments/merchant-row.ts';
import { toMinorUnits } from './amount.ts';
import { type Language, languageOf } from './texts.ts';

/** Why a link cannot be used. */
export type LinkError =
  | 'KEY_MISSING'
  | 'KEY_UNKNOWN'
  | 'TEST_MODE_MIXED'
  | 'CURRENCY_INVALID'
  | 'VALUE_INVALID'
  | 'REDIRECT_INVALID'
  | 'PARAMETER_INVALID';

/** A payment link that was understood. Specification: payments, "Payment link". */
export interface PaymentLink {
  readonly merchant: MerchantRow;
  readonly currency: string;
  /** Minor units; left out for a point of sale, where the customer says how much. */
  readonly amount?: number;
  readonly reference?: string;
  readonly text?: string;
  readonly redirect?: URL;
  readonly recurring: boolean;
  readonly language: Language;
}

/** Thrown for a link that cannot be used. */
export class BadLink extends Error {
  readonly code: LinkError | 'LIVE_MERCHANT';
  readonly language: Language;

  constructor(code: BadLink['code'], language: Language) {
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

/** Reads the parameters of a link; everything but the key is optional, unknown ones are ignored. */
export async function readLink(
  query: URLSearchParams,
  findMerchant: (key: string) => Promise<MerchantRow | undefined>,
): Promise<PaymentLink> {
  const language = languageOf(query.get('locale') ?? undefined);
  const fail = (code: BadLink['code']) => new BadLink(code, language);
  const given: Partial<Record<(typeof NAMES)[number], string>> = {};
  for (const name of NAMES) {
    const values = query.getAll(name);
    if (values.length > 1) throw fail('PARAMETER_INVALID');
    if (values[0] !== undefined) given[name] = values[0];
  }

  if (!given.key) throw fail('KEY_MISSING');
  const merchant = await findMerchant(given.key);
  if (merchant === undefined) throw fail('KEY_UNKNOWN');
  const test = given.test === undefined ? false : flagFromWord(given.test);
  if (test === undefined) throw fail('PARAMETER_INVALID');
  if (test !== merchant.test) throw fail('TEST_MODE_MIXED');
  if (!merchant.test) throw fail('LIVE_MERCHANT');

  const currency = given.currency ?? merchant.currency;
  if (currencies.get(currency)?.deprecated !== false) throw fail('CURRENCY_INVALID');
  const amount = given.value === undefined ? undefined : toMinorUnits(given.value, currency, '.');
  if (given.value !== undefined && amount === undefined) throw fail('VALUE_INVALID');
  const redirect = given.redirect === undefined ? undefined : toRedirect(given.redirect);
  if (redirect === null) throw fail('REDIRECT_INVALID');
  const recurring = given.recurring === undefined ? false : flagFromWord(given.recurring);
  if (recurring === undefined || [given.text, given.reference].some(tooLong)) {
    throw fail('PARAMETER_INVALID');
  }
  return {
    merchant,
    currency,
    recurring,
    language,
    ...(amount === undefined ? {} : { amount }),
    ...(given.reference ? { reference: given.reference } : {}),
    ...(given.text ? { text: given.text } : {}),
    ...(redirect === undefined ? {} : { redirect }),
  };
}

function tooLong(text: string | undefined): boolean {
  if (text === undefined) return false;
  return [...text].length > MAX_TEXT || text.includes('\0') || !text.isWellFormed();
}

/** An absolute http or https address without user name; null for anything else. */
function toRedirect(text: string): URL | null {
  if (text.length > MAX_REDIRECT || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  // Other characters are allowed in a host, but mean something else in the page's policy.
  const plain = /^[\w.:[\]-]+$/.test(url.host);
  return plain && url.username === '' && url.password === '' ? url : null;
}
