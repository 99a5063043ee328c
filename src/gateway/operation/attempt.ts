import type { Finding, PostResult } from './machine.ts';
import type { Operation, PreImage, Refusal } from './operation.ts';
import type { Intent } from './store/operation-store.ts';

/** What can be seen of operations at the service, with the credential of one caller. */
export interface Viewer {
  /** Looks for the effect of an operation. Throws when it cannot be read. */
  look(operation: Operation): Promise<Finding>;
}

/**
 * One try of a caller at an operation. `F` is what the caller is told when a new operation
 * must not begin.
 */
export interface Attempt<F> extends Viewer {
  readonly intent: Intent;
  /** Why a new operation must not begin, by what was read to give access. */
  readonly refusal: F | undefined;
  /**
   * The picture just before the POST, or why it does not fit any more. Throws when it
   * cannot be read.
   */
  prepare(): Promise<{ readonly before: PreImage } | { readonly refusal: F }>;
  /** Sends the POST, once. Never throws. */
  post(operation: Operation): Promise<PostResult>;
}

/** How a try ended. */
export type Verdict<F> =
  /** There is an operation; its state says the rest. */
  | { readonly kind: 'OPERATION'; readonly operation: Operation; readonly replayed: boolean }
  /** It must not begin; nothing was stored. */
  | { readonly kind: 'REFUSED'; readonly refusal: F }
  /** Certainly nothing was sent, and the key is free. */
  | { readonly kind: 'NOT_SENT'; readonly refusal?: Refusal }
  | { readonly kind: 'STORE_UNAVAILABLE' }
  /** Another operation is open on the transaction. */
  | { readonly kind: 'BUSY'; readonly other: Operation }
  /** The key is known with other arguments. */
  | { readonly kind: 'KEY_REUSED' };
