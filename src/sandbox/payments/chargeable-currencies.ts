import { z } from 'zod';
import { currencies } from '../../currencies.ts';
import type { Clock } from '../environment.ts';
import { must } from '../http/fields.ts';

/**
 * Codes that ISO 4217 has withdrawn, with the first day on which no payment can be made any more.
 * Payments made before keep their currency, and so do merchants.
 */
const withdrawn: Readonly<Record<string, string>> = {
  ZMK: '2013-01-01',
  BYR: '2017-01-01',
  MRO: '2018-01-01',
  STD: '2018-01-01',
  VEF: '2018-08-20',
  HRK: '2023-01-01',
  SLL: '2024-04-01',
  ZWL: '2024-09-01',
  ANG: '2025-07-01',
  BGN: '2026-01-01',
};

/** Whether new payments can be made in a currency at this time. */
export function isChargeable(code: string, now: Date): boolean {
  const end = withdrawn[code];
  return currencies.has(code) && (end === undefined || now < new Date(end));
}

/** The codes that are not withdrawn, and have no date on which they will be. */
export const activeCurrencies: readonly string[] = [...currencies.keys()].filter(
  (code) => withdrawn[code] === undefined,
);

/** The currency of a new payment. */
export function chargeableCurrency(clock: Clock) {
  const message = 'Must be an active ISO 4217 currency';
  return z
    .string(must(message))
    .refine((code) => isChargeable(code, clock()), message)
    .meta({ enum: activeCurrencies });
}
