import type { LinkError } from './payment-link.ts';

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
