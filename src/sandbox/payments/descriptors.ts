import { optional, text } from '../http/fields.ts';

/** Bank statements show printable ASCII only. */
const PRINTABLE = /^[ -~]+$/;
const HINT = 'Must be printable ASCII';

/** Reads the descriptor of a merchant: 1 to 22 characters. */
export const merchantDescriptor = text(1, 22, PRINTABLE, HINT);

/** Reads the optional descriptor of a payment: 1 to 22 characters. */
export const paymentDescriptor = optional(text(1, 22, PRINTABLE, HINT));
