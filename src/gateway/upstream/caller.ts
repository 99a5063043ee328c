import type { Allowance } from './allowance.ts';
import type { ServiceName } from './rest-error.ts';

/** On whose behalf a service is called. */
export interface Caller {
  /** The header to send; undefined without a credential. */
  readonly authorization: string | undefined;
  /** Identifies the credential in this process. Calls of one owner share connections. */
  readonly owner: string;
  readonly allowance: Allowance;
  /** Whether nobody waits for it: its failures do not stop the calls of others. */
  readonly isBackground?: boolean;
  /** What the request has already read. Default: nothing. */
  readonly known?: KnownReads;
}

/** What one request has read, so that it reads nothing twice. A write forgets everything. */
export interface KnownReads {
  readonly of: Readonly<Record<ServiceName, Map<string, Promise<unknown>>>>;
  forget(): void;
}

/** Creates the memory of one request. */
export function createKnownReads(of: KnownReads['of'] = noReads()): KnownReads {
  return {
    of,
    forget: () => {
      of.users.clear();
      of.payments.clear();
    },
  };
}

const noReads = () => ({ users: new Map(), payments: new Map() });

/**
 * Copies only the known user records. The gateway decides each time who may read these; only the
 * payments service can decide who may read its records.
 */
export function keepUsers({ of }: KnownReads): KnownReads {
  return createKnownReads({ users: new Map(of.users), payments: new Map() });
}
