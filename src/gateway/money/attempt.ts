import type { Effect, PostResult } from './engine/change.ts';
import type { NotSentReason, Operation, OperationIn, Snapshot } from './engine/operation.ts';
import type { Intent } from './store/operation-store.ts';

/** Reads the service for the effects of operations, with the credential of one caller. */
export interface EffectFinder {
  /** What the service shows of an operation. Throws if the service cannot be read. */
  findEffect(operation: OperationIn<'UNKNOWN'>): Promise<Effect>;
}

/**
 * One request of a caller to perform an operation: what the runner needs from a mutation. The
 * runner calls back three times. The sequence for a capture:
 *
 *  1. The mutation reads the transaction with the caller's key and makes the attempt.
 *  2. If the merchant has a slot, the store inserts the row, which takes the idempotency key
 *     and the lock key (PREPARED). For a known key, the runner returns the stored operation.
 *  3. If `invalid` is set, the runner only looks up the key, and inserts nothing.
 *  4. If the key is then new, the caller gets `invalid`.
 *  5. `takeSnapshot` reads the transaction again. If that fails, the row is removed: NOT_SENT.
 *  6. The store commits the snapshot and `posts = 1` (SENDING) before the first byte leaves.
 *  7. `post` sends the POST, once, and classifies the response.
 *  8. `afterPost` derives the next state, and the store records it: SUCCEEDED only if the
 *     response shows the effect.
 *  9. Every other response, and the lack of one, makes the operation UNKNOWN.
 * 10. `findEffect` then reads the trail after 0, 0.2, 1 and 5 s, and on every later request.
 * 11. `afterRead` derives the next state from the effect and the response: a rejection is
 *     believed when the trail shows nothing new.
 * 12. There is another `post` only if the caller repeats the key: under the guard, or after
 *     the service responded with 401, 403 or 429 to the first one (RELEASED).
 *
 * `Invalid` is what the caller gets if a new operation must not begin.
 */
export interface Attempt<Invalid> extends EffectFinder {
  readonly intent: Intent;
  /** Why a new operation must not begin, based on what was read to check access. */
  readonly invalid: Invalid | undefined;
  /**
   * Takes the snapshot just before the POST, or returns why the request is no longer valid.
   * Throws if the service cannot be read.
   */
  takeSnapshot(): Promise<{ readonly snapshot: Snapshot } | { readonly invalid: Invalid }>;
  /** Sends the POST, once. Never throws. */
  post(operation: OperationIn<'SENDING'>): Promise<PostResult>;
}

/** How an attempt ended. */
export type Verdict<Invalid> =
  /** The operation exists; its state is the result. */
  | { readonly kind: 'OPERATION'; readonly operation: Operation; readonly replayed: boolean }
  /** The request is not valid; nothing was stored. */
  | { readonly kind: 'INVALID_REQUEST'; readonly invalid: Invalid }
  /** Nothing was sent, or the service shows no effect of it. The key can be repeated. */
  | { readonly kind: 'NOT_SENT'; readonly reason?: NotSentReason }
  | { readonly kind: 'STORE_UNAVAILABLE' }
  /** Another operation is open on the transaction. */
  | { readonly kind: 'BUSY'; readonly other: Operation }
  /** The key was used with other arguments. */
  | { readonly kind: 'KEY_REUSED' };
