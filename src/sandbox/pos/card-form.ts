import { type TestCard, testCards } from '../payments/test-cards.ts';
import type { FormErrorCode } from './html.ts';
import { toMinorUnits } from './html.ts';

/** The fields of the form, in their order on the page. */
export const formFields = ['number', 'expiry', 'code', 'amount'] as const;

/** The name of a field. */
export type FormField = (typeof formFields)[number];

/** The text that the customer entered, by field. */
export type CardForm = Readonly<Record<FormField, string>>;

/** A form with which a payment can be made. */
export interface ValidForm {
  readonly card: TestCard;
  readonly expiry: Date;
  /** Minor units of the link's currency. */
  readonly amount: number;
}

/** The errors of a form, by field. */
export type FormErrors = Partial<Record<FormField, FormErrorCode>>;

/** The result of {@link readForm}. `card rejected` means that the number is not a test card. */
export type FormResult =
  | { readonly kind: 'valid'; readonly form: ValidForm }
  | { readonly kind: 'invalid'; readonly errors: FormErrors }
  | { readonly kind: 'card rejected' };

/**
 * Reads a form. A number that is not a published test card is rejected before any other field
 * is read, so that the sandbox never processes a real card.
 */
export function readForm(
  sent: CardForm,
  link: { readonly amount: number | undefined; readonly currency: string },
): FormResult {
  const number = sent.number.replace(/[\s-]/g, '');
  const card = testCards.get(number);
  if (number !== '' && card === undefined) return { kind: 'card rejected' };

  const errors: FormErrors = {};
  if (card === undefined) errors.number = 17;
  const expiry = toExpiry(sent.expiry);
  if (expiry === undefined) errors.expiry = sent.expiry.trim() === '' ? 18 : 5;
  if (!/^\d{3}$/.test(sent.code.trim())) errors.code = sent.code.trim() === '' ? 20 : 4;
  const amount = link.amount ?? toMinorUnits(sent.amount, link.currency, '.,');
  if (amount === undefined) errors.amount = sent.amount.trim() === '' ? 15 : 14;
  if (card === undefined || expiry === undefined || amount === undefined || errors.code) {
    return { kind: 'invalid', errors };
  }
  return { kind: 'valid', form: { card, expiry, amount } };
}

/** `08/30`, also `8/30`, `08/2030` and, because a numeric keyboard has no slash, `0830`. */
const EXPIRY = /^(?:(0?[1-9]|1[0-2])\/(?:20)?|(0[1-9]|1[0-2]))(\d\d)$/;

/** Returns the last millisecond of the month, in UTC. */
function toExpiry(text: string): Date | undefined {
  const [, ...found] = EXPIRY.exec(text.replace(/\s/g, '')) ?? [];
  const [beforeSlash, beforeYear, year] = found;
  const month = beforeSlash ?? beforeYear;
  if (month === undefined) return undefined;
  return new Date(Date.UTC(2000 + Number(year), Number(month)) - 1);
}
