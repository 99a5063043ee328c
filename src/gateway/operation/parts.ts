import type { Shares } from '../shares.ts';
import type { Background } from './background.ts';
import type { Clock } from './clock.ts';
import type { OperationStore } from './store/operation-store.ts';
import type { StoreWatch } from './store/store-timeout.ts';

/** Settings of what is sent and presumed. */
export interface ExecutionSettings {
  /** Whether a second POST may be sent where two cannot both apply. */
  readonly guardedRepost: boolean;
  /** How long one POST may take, in milliseconds. */
  readonly postMs: number;
  /**
   * How long the service may take to apply a POST, in milliseconds. If unset there is no
   * limit, and no operation is presumed NOT_APPLIED.
   */
  readonly maxProcessingMs?: number | undefined;
}

/** What a runner is created from. */
export interface RunnerOptions extends Pick<StoreWatch, 'onStoreUse'> {
  readonly store: OperationStore;
  readonly clock: Clock;
  readonly settings: ExecutionSettings;
  /** Makes the id of an operation; a random UUID if left out. */
  readonly newId?: () => string;
  /** How many POSTs are sent at the same time; 64 if left out. */
  readonly places?: number;
  /** Called with messages for the operator. They contain no key, amount or credential. */
  readonly report: (message: string) => void;
}

/** What a runner consists of. */
export interface Parts extends RunnerOptions {
  readonly background: Background;
  /** The places of the merchants whose operations are sent. */
  readonly shares: Shares;
}
