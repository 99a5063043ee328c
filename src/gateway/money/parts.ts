import type { Leave, Shares } from '../upstream/shares.ts';
import type { Background } from './background.ts';
import type { Change } from './engine/change.ts';
import type { Clock } from './engine/clock.ts';
import type { NotSentReason, Operation } from './engine/operation.ts';
import { THIS_REQUEST } from './engine/post-result.ts';
import type { Held, OperationStore } from './store/operation-store.ts';
import type { StoreWatch } from './store/watch-store.ts';

/** Settings that decide what is sent and what is presumed. */
export interface ExecutionSettings {
  /** Whether a second POST may be sent if two cannot both apply. */
  readonly guardedRepost: boolean;
  /** How long one POST may take, in milliseconds. */
  readonly postMs: number;
  /**
   * How long the service may take to apply a POST, in milliseconds. If unset there is no
   * limit, and no operation is presumed NOT_APPLIED.
   */
  readonly maxProcessingMs?: number | undefined;
}

/** Options of a runner. */
export interface RunnerOptions extends Omit<StoreWatch, 'report'> {
  readonly store: OperationStore;
  readonly clock: Clock;
  readonly settings: ExecutionSettings;
  /** Creates the id of an operation; a random UUID if left out. */
  readonly newId?: () => string;
  /** How many POSTs are sent at the same time; 64 if left out. */
  readonly slots?: number;
  /** Called with messages for the operator. They contain no key, amount or credential. */
  readonly report: (message: string) => void;
}

/** Dependencies of the runner. */
export interface Parts extends RunnerOptions {
  readonly background: Background;
  /** The slots of the merchants whose operations are sent. */
  readonly shares: Shares;
}

/**
 * How many POSTs of money operations a gateway sends at the same time. The merchants share
 * these slots, so that one whose POSTs hang does not make the others wait.
 */
export const SLOTS = 64;
/** Nothing is started with less time left than this. */
export const LEAST_MS = 2_000;

/** Why nothing is sent if no slot becomes free in time. */
export const NO_SLOT: NotSentReason = {
  code: 'NOT_SENT',
  message: `Too many other money operations of this merchant are being sent, so ${THIS_REQUEST}`,
};

/** Waits for a slot while there is time for a POST. Undefined if none becomes free. */
export function waitForSlot(
  { clock, shares }: Parts,
  { merchantId }: Pick<Operation, 'merchantId'>,
  deadline: number,
): Promise<Leave | undefined> {
  return shares.enter(merchantId, (onPassed) =>
    clock.startLimit(deadline - LEAST_MS - clock.now(), onPassed),
  );
}

/**
 * Makes the operator's settlement final, because a caller is about to be told of it. Returns true
 * if the operator has taken it back: then nobody may be told.
 */
export async function markReturned(
  { store }: Pick<Parts, 'store'>,
  operation: Operation,
): Promise<boolean> {
  const isSettled = 'evidence' in operation && operation.evidence === 'OPERATOR';
  return isSettled && store.markReturned(operation);
}

const PAUSE_MS = 1_000;
const ATTEMPTS = 60;

/**
 * Records a change, and tries again while the store is not available, because only this process
 * knows what the service responded. It is safe to record a change twice. A change that another one
 * has overtaken has no effect.
 */
export async function recordPersistently(
  { store, clock, background, report }: Parts,
  operation: Held,
  change: Change,
): Promise<Operation | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.record(operation, change);
    } catch (error) {
      if (attempt === 1) {
        report(
          `the outcome of money operation ${operation.id} could not be recorded yet: ${change.to}`,
        );
      }
      if (attempt === ATTEMPTS || background.isClosing) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}

/** The service could not be read. */
export const UNREADABLE: NotSentReason = {
  code: 'NOT_SENT',
  message: `The payments service could not be read in time, so ${THIS_REQUEST}`,
};
