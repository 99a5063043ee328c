import { invalidField } from '../http/http-error.ts';
import { type TestCard, testCards } from '../payments/test-cards.ts';
import { namedCards } from './test-cards.ts';

const YEARS = 5;

/** Returns a test card by name or number, with its expiry. Throws 400 for any other card. */
export function readCard(
  nameOrNumber: string,
  expiry: string | undefined,
  now: Date,
): { card: TestCard; expiry: Date } {
  const number = namedCards.get(nameOrNumber) ?? nameOrNumber.replace(/[\s-]/g, '');
  const card = testCards.get(number);
  if (card === undefined) {
    throw invalidField('card', 'Must be the name or the number of a test card: see /test-cards');
  }
  const [month, year] = expiry?.split('/').map(Number) ?? [];
  if (month === undefined || year === undefined) {
    return { card, expiry: endOfMonth(now.getUTCFullYear() + YEARS, now.getUTCMonth() + 1) };
  }
  if (month < 1 || month > 12) throw invalidField('expiry', 'Must be MM/YY');
  return { card, expiry: endOfMonth(2000 + year, month) };
}

/** A card is valid until the end of its month. */
function endOfMonth(year: number, month: number): Date {
  return new Date(Date.UTC(year, month) - 1);
}
