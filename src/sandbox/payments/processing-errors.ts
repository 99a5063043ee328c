import { z } from 'zod';
import { HttpError } from '../http/http-error.ts';
import { id } from './fields.ts';

/** The reason for a declined payment, from the published list of the payments service. */
export interface ProcessingError {
  readonly code: number;
  readonly message: string;
  /** Whether the cardholder can fix it. */
  readonly client: boolean;
  /** Whether the merchant can fix it. */
  readonly merchant: boolean;
}

const rows: readonly [code: number, message: string, client: boolean, merchant: boolean][] = [
  [1, 'Invalid currency', true, true],
  [2, 'Invalid card details', true, false],
  [3, 'Invalid card number', true, false],
  [4, 'Invalid security code (CSC)', true, false],
  [5, 'Invalid expire date', true, false],
  [6, 'Card expired', true, false],
  [7, 'Insufficient funds', true, false],
  [8, 'Declined by cardholder bank', true, false],
  [9, 'Card restricted', true, false],
  [10, 'Card rejected', true, false],
  [11, 'Transaction rejected', true, true],
  [12, 'Error, please try again or contact us', true, true],
  [13, 'Invalid descriptor', false, true],
  [14, 'Invalid amount', true, true],
  [15, 'Missing amount', true, true],
  [16, 'Missing currency', true, true],
  [17, 'Missing card number', true, false],
  [18, 'Missing card expiry month', true, false],
  [19, 'Missing card expiry year', true, false],
  [20, 'Missing card security code (CSC)', true, false],
  [21, 'Missing secure connection (https)', false, true],
  [22, 'Amount is bigger than allowed, please contact us', false, true],
  [25, 'Card amount limit exceeded', true, false],
  [26, 'Invalid merchant public key, please contact us', false, true],
  [27, 'The merchant is not allowed to create transactions', false, true],
  [28, 'The merchant is not allowed to save cards', false, true],
  [29, 'Invalid card number or card not supported', true, false],
  [30, '3-D Secure is required', true, false],
  [31, '3-D Secure failed', true, false],
];

/** The published list, by code. The codes 23 and 24 do not exist. */
export const processingErrors: ReadonlyMap<number, ProcessingError> = new Map(
  rows.map(([code, message, client, merchant]) => [code, { code, message, client, merchant }]),
);

/** The fields of a processing error in a response. */
export const errorFields = {
  code: z.literal([...processingErrors.keys()]),
  message: z.string(),
  client: z.boolean().describe('Whether the cardholder can fix it.'),
  merchant: z.boolean().describe('Whether the merchant can fix it.'),
};

/** The response to a declined payment. */
export const DeclinedPayment = z
  .object({ ...errorFields, response: z.object({ transaction: z.object({ id }) }) })
  .meta({ id: 'ProcessingError' });

/** Creates a 400 with a processing error and the id of the failed transaction. */
export function declined(code: number, transactionId: string): HttpError {
  return new HttpError(400, {
    ...processingErrors.get(code),
    response: { transaction: { id: transactionId } },
  });
}
