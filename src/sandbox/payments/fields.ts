import { z } from 'zod';
import { currencies } from '../../currencies.ts';
import { text } from '../http/fields.ts';

/** The id of a record in a response. */
export const id = z.string().regex(/^[0-9a-f]{24}$/);
/** A date in a response. */
export const date = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time' });
/** Minor units of a currency, in a response. May be negative. */
export const minorUnits = z.int();
/** Minor units of a currency, in a response. Never negative. */
export const counter = z.int().min(0);
/** A property that only some records have. */
export const yes = z.literal(true);
/** The currencies of payments, also of those made before their currency was withdrawn. */
export const knownCurrency = z.enum([...currencies.keys()]);
/** What a response shows of a card. */
export const cardDigits = {
  bin: z.string().regex(/^\d{6}$/),
  last4: z.string().regex(/^\d{4}$/),
  scheme: z.enum(['visa', 'mastercard']),
};

/** The name of an app or a merchant. */
export const name = text(1, 200);
/** Bank statements show printable ASCII only. */
export const descriptor = text(1, 22, /^[ -~]+$/, 'Must be printable ASCII');
/** An id in a request. It need not have the form of one. */
export const reference = text(1, 1000);
/** The account number of a merchant. */
export const iban = text(3, 34, /^[A-Z]{2}[A-Z0-9]+$/, 'Must be an IBAN');
