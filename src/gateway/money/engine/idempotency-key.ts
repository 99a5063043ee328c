import { hash } from 'node:crypto';
import { type RequestFailure, requestFailure } from '../../schema/request-failure.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Description of the input field. */
export const KEY_DESCRIPTION =
  'Identifies the money operation. Generate a new key, such as a UUID, for each operation, and send the same key when you repeat the request: the operation is then applied at most once. 1 to 255 printable ASCII characters without spaces. Two operations of one merchant must not have the same key.';

/** The error for a key that is not valid; undefined if it is valid. */
export function checkKey(key: string): RequestFailure | undefined {
  if (KEY.test(key)) return undefined;
  const message = '`idempotencyKey` must be 1 to 255 printable ASCII characters without spaces.';
  return requestFailure('INVALID_INPUT', message, ['input', 'idempotencyKey']);
}

/** The error for an amount that cannot be moved; undefined if it can. In minor units. */
export function checkAmount(minorUnits: number): RequestFailure | undefined {
  if (minorUnits > 0) return undefined;
  const message = '`minorUnits` must be greater than zero.';
  return requestFailure('INVALID_INPUT', message, ['input', 'amount', 'minorUnits']);
}

/**
 * Identifies the arguments that a key was used with: SHA-256 of the arguments with sorted
 * names, in hexadecimal. Absent and null are the same.
 */
export function fingerprint(args: Readonly<Record<string, unknown>>): string {
  return hash('sha256', canonical(args));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined && field !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(',')}}`;
}
