import { randomUUID } from 'node:crypto';

/** An idempotency key that nobody has used, for a movement of money that a test means once. */
export function newKey(): string {
  return randomUUID();
}
