import { currencies } from '../../currencies.ts';
import { divideRounded } from './exchange.ts';

/** The counters of a transaction, minor units of its currency. */
export interface Counters {
  readonly amount: number;
  readonly captured: number;
  readonly refunded: number;
  readonly voided: number;
  /** Null while the payment is good. */
  readonly error_code: number | null;
}

/** What may still be captured or voided. */
export function pendingOf({ amount, captured, voided, error_code }: Counters): number {
  return error_code === null ? amount - captured - voided : 0;
}

/** What may still be refunded. Refunds never lower what was captured. */
export function refundableOf({ captured, refunded }: Counters): number {
  return captured - refunded;
}

/** What a transaction's captures and earlier refunds came to, in the funding currency. */
export interface CaptureTotals {
  readonly captured: number;
  readonly gross: number;
  readonly rate: number;
  readonly grossTaken: number;
  readonly rateReturned: number;
}

/**
 * What a refund takes from the merchant and which part of the rate it gives back, so
 * that refunding everything, in whatever steps, costs exactly the flat fees.
 *
 * @param refunded all refunds of the transaction, this one included
 */
export function refundShare(totals: CaptureTotals, refunded: number) {
  const share = (whole: number, before: number) =>
    Math.max(
      0,
      Number(divideRounded(BigInt(whole) * BigInt(refunded), BigInt(totals.captured))) - before,
    );
  return {
    taken: share(totals.gross, totals.grossTaken),
    returned: share(totals.rate, totals.rateReturned),
  };
}

/** Major units in shortest form, as the service's own sentences write them: `EUR 5.5`. */
export function inWords(amount: number, currency: string): string {
  const exponent = currencies.get(currency)?.exponent ?? 2;
  const digits = String(amount).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent).replace(/0+$/, '');
  return `${currency} ${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
