import type { ListSnapshot, TrailSnapshot } from '../../../src/gateway/money/engine/operation.ts';
import { lockKeyOf } from '../../../src/gateway/money/engine/operation.ts';
import type { Intent } from '../../../src/gateway/money/store/operation-store.ts';
import { newKey } from '../../support/new-key.ts';

/** What a transaction of 100 without a trail shows. */
export const TRAIL_SNAPSHOT: TrailSnapshot = {
  amount: 100,
  pendingAmount: 100,
  capturedAmount: 0,
  refundedAmount: 0,
  voidedAmount: 0,
  trail: [],
};

/** What the list of a merchant without transactions shows. */
export const LIST_SNAPSHOT: ListSnapshot = { newest: null };

function newWanted() {
  return {
    merchantId: 'm',
    key: newKey(),
    amount: 40,
    currency: 'EUR',
    fingerprint: 'ab'.repeat(32),
  };
}

/** An intent to capture 40 of a new transaction, with a new key. */
export function newCapture(): Intent & { readonly kind: 'CAPTURE' } {
  const transactionId = `transaction ${newKey()}`;
  const lockKey = lockKeyOf(transactionId, 'CAPTURE');
  return { ...newWanted(), kind: 'CAPTURE', lockKey, transactionId };
}

/** An intent to create a transaction of 40, with a new key. */
export function newCreation(): Intent {
  return { ...newWanted(), kind: 'CREATE', lockKey: null, transactionId: null };
}
