import { type TestCard, testCards } from '../payments/test-cards.ts';
import { toMinorUnits } from './amount.ts';
import type { FormErrorCode } from './texts.ts';

/** What the customer sent, as text. */
export interface CardForm {
  readonly number: string;
  readonly expiry: string;
  readonly code: string;
  readonly amount: string;
}

/** The fields of the form, by the names they have in it. */
export type FormField = keyof CardForm;

/** A form that can be paid with. */
export interface GoodForm {
  readonly card: TestCard;
  readonly expiry: Date;
  readonly amount: number;
}

/** What is wrong, field by field. */
export type FormErrors = Partial<Record<FormField, FormErrorCode>>;

/** What became of a form: good, with errors, or with a number that is no test card. */
export type FormResult =
  | { readonly kind: 'good'; readonly form: GoodForm }
  | { readonly kind: 'errors'; readonly errors: FormErrors }
  | { readonly kind: 'card refused' };

/**
 * Reads a form. A number that is no published test card ends it before anything else
 * is looked at, so that nothing of a real card is ever handled.
 */
export function readForm(
  sent: CardForm,
  link: { readonly amount?: number; readonly currency: string },
): FormResult {
  const number = sent.number.replace(/[\s-]/g, '');
  const card = testCards.get(number);
  if (number !== '' && card === undefined) return { kind: 'card refused' };

  const errors: FormErrors = {};
  if (card === undefined) errors.number = 17;
  const expiry = toExpiry(sent.expiry);
  if (expiry === undefined) errors.expiry = sent.expiry.trim() === '' ? 18 : 5;
  if (!/^\d{3}$/.test(sent.code.trim())) errors.code = sent.code.trim() === '' ? 20 : 4;
  const amount = link.amount ?? toMinorUnits(sent.amount, link.currency, '.,');
  if (amount === undefined) errors.amount = sent.amount.trim() === '' ? 15 : 14;
  if (card === undefined || expiry === undefined || amount === undefined || errors.code) {
    return { kind: 'errors', errors };
  }
  return { kind: 'good', form: { card, expiry, amount } };
}

/** The last millisecond of the month, in UTC. */
function toExpiry(text: string): Date | undefined {
  const [, month, year] = /^(0[1-9]|1[0-2]) ?\/ ?(\d\d)$/.exec(text.trim()) ?? [];
  if (month === undefined) return undefined;
  return new Date(Date.UTC(2000 + Number(year), Number(month)) - 1);
}
