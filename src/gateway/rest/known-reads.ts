import type { ServiceName } from './rest-error.ts';

/** What one request has read, so that it reads nothing twice. Its writes forget everything. */
export interface KnownReads {
  readonly of: Readonly<Record<ServiceName, Map<string, Promise<unknown>>>>;
  forget(): void;
}

/** Creates the memory of one request. */
export function createKnownReads(): KnownReads {
  const of = { users: new Map(), payments: new Map() };
  return {
    of,
    forget: () => {
      of.users.clear();
      of.payments.clear();
    },
  };
}
