import { createHash } from 'node:crypto';
import { type RequestFailure, requestFailure } from '../graphql/mutation-error.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** How the field is described wherever it is asked for. */
export const KEY_DESCRIPTION =
  'Chosen by the caller: one key for one intended movement of money, 1 to 255 printable ASCII characters without spaces, such as a UUID. Repeat a request with its key and nothing happens twice.';

/** Why a key is none, if it is not. */
export function refuseKey(key: string): RequestFailure | undefined {
  if (KEY.test(key)) return undefined;
  const message = 'The key must be 1 to 255 printable ASCII characters without spaces.';
  return requestFailure('INVALID_INPUT', message, ['input', 'idempotencyKey']);
}

/** What an amount of money must be, if it is not. */
export function refuseAmount(minorUnits: number): RequestFailure | undefined {
  if (minorUnits > 0) return undefined;
  const message = 'The amount must be greater than zero.';
  return requestFailure('INVALID_INPUT', message, ['input', 'amount', 'minorUnits']);
}

/**
 * Tells arguments apart that a key was used with: SHA-256 of them with sorted names,
 * absent and null being the same. In hexadecimal.
 */
export function fingerprint(args: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(canonical(args)).digest('hex');
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
