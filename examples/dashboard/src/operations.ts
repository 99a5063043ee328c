import { useSyncExternalStore } from 'react';
import type { OperationAdvice, TransactionAction } from './gql/graphql.ts';
import type { Amount } from './money.ts';

/** A capture, a refund or a void that a person has confirmed. */
export interface Operation {
  readonly idempotencyKey: string;
  readonly kind: TransactionAction;
  readonly transactionId: string;
  readonly merchantId: string | undefined;
  readonly amount: Amount;
  readonly startedAt: number;
  readonly status: 'OPEN' | 'SUCCEEDED' | 'FAILED';
  /** Whether a request that was sent with this key may have moved money. */
  readonly mayHaveMoved: boolean;
  readonly advice: OperationAdvice | null;
  readonly message: string;
}

const PREFIX = 'tillgraph-operation:';
let operations = readAll();
// The browser sends this event for changes in other tabs, and `changed` for those in this one.
addEventListener('storage', () => {
  operations = readAll();
});
const changed = () => void dispatchEvent(new Event('storage'));

/** All operations, also those of other tabs, until a person has seen how they ended. */
export function useOperations(): readonly Operation[] {
  return useSyncExternalStore(subscribe, () => operations);
}

function subscribe(listener: () => void) {
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}

/**
 * Stores an operation. It is stored before it is sent, so that a reload, a crash or a lost answer
 * loses neither the key nor what belongs to it. Throws if the browser cannot store it.
 */
export function saveOperation(operation: Operation): void {
  localStorage.setItem(PREFIX + operation.idempotencyKey, JSON.stringify(operation));
  changed();
}

export function forgetOperation(idempotencyKey: string): void {
  localStorage.removeItem(PREFIX + idempotencyKey);
  changed();
}

/** The operation with a key, as the last tab has stored it. */
export function readOperation(idempotencyKey: string): Operation | undefined {
  return readAll().find((operation) => operation.idempotencyKey === idempotencyKey);
}

function readAll(): readonly Operation[] {
  return Object.entries(localStorage)
    .filter(([name]) => name.startsWith(PREFIX))
    .flatMap(([, text]) => readOrNothing(text))
    .sort((a, b) => a.startedAt - b.startedAt);
}

/** Somebody else may have changed what is stored. */
function readOrNothing(text: string): Operation | [] {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}
