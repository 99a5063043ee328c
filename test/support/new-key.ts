import { randomUUID } from 'node:crypto';

/** A new idempotency key. */
export function newKey(): string {
  return randomUUID();
}
