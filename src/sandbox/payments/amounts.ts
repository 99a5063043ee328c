import { currencies } from '../../currencies.ts';
import { divideRounded } from './exchange.ts';

/** The counters of a transaction, in minor units of its currency. */
export interface Counters {
  readonly amount: number;
  readonly captured: number;
  readonly refunded: number;
  readonly voided: number;
  /** The processing error of a failed payment, null for a successful one. */
  readonly error_code: number | null;
}

/** Returns the amount that is available for capture or void. */
export function pendingOf({ amount, captured, voided, error_code }: Counters): number {
  return error_code === null ? amount - captured - voided : 0;
}

/** Returns the amount that is available for refund. A refund does not lower `captured`. */
export function refundableOf({ captured, refunded }: Counters): number {
  return captured - refunded;
}

/**
 * Totals of a transaction's captures and earlier refunds. `captured` is in minor units of the
 * transaction's currency, everything else in minor units of the funding currency.
 */
export interface CaptureTotals {
  readonly captured: number;
  /** The captured amount after the exchange. */
  readonly gross: number;
  /** Percentage fees of the captures. */
  readonly rate: number;
  /** The part of `gross` that earlier refunds took. */
  readonly grossTaken: number;
  /** The part of `rate` that earlier refunds returned. */
  readonly rateReturned: number;
}

/**
 * Returns what a refund takes from the merchant, and how much of the percentage fees it
 * returns. Both are computed from totals, so that refunding everything costs exactly the flat
 * fees, in any number of steps.
 *
 * @param refunded the total of all refunds, including this one
 */
export function refundShare(totals: CaptureTotals, refunded: number) {
  const share = (total: number, earlier: number) =>
    Math.max(
      0,
      Number(divideRounded(BigInt(total) * BigInt(refunded), BigInt(totals.captured))) - earlier,
    );
  return {
    taken: share(totals.gross, totals.grossTaken),
    returned: share(totals.rate, totals.rateReturned),
  };
}

/** Formats an amount for a message, in major units without trailing zeros: `EUR 5.5`. */
export function formatAmount(amount: number, currency: string): string {
  const exponent = currencies.get(currency)?.exponent ?? 2;
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent).replace(/0+$/, '');
  return `${currency} ${amount < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
