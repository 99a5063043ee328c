import type { Environment } from '../environment.ts';
import type { FaultList } from '../faults/fault-list.ts';
import type { RequestLog } from '../http/request-log.ts';
import type { SandboxClock } from '../state/sandbox-clock.ts';
import type { Inboxes } from './inbox.ts';

/** Everything that the control interface reads and changes. */
export interface Controlled {
  readonly environment: Environment;
  readonly clock: SandboxClock;
  readonly faults: FaultList;
  readonly inboxes: Inboxes;
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal;
  readonly requests: RequestLog;
  /** The operations of each service, for example `GET /users/:id`. */
  readonly operations: Readonly<Record<'users' | 'payments' | 'pos', readonly string[]>>;
  /** Addresses of the services and of the payment page. */
  readonly addresses: Addresses;
  /** Runs work that moves the clock or replaces records, one after another. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called after all records were replaced. */
  readonly afterReset: () => Promise<void>;
}

/** Where the services and the payment page are. */
export interface Addresses {
  readonly usersUrl: string;
  readonly paymentsUrl: string;
  readonly posUrl: string;
  /** Whether the payment page can be reached from this machine only. */
  readonly posIsLocal: boolean;
}
