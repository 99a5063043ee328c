import type { ServiceName } from './rest-error.ts';

/** What one request has read, so that it reads nothing twice. Its writes forget everything. */
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

/** A memory with the single records of another one, and without its lists. */
export function keepRecords({ of }: KnownReads): KnownReads {
  const records = (reads: Map<string, Promise<unknown>>) =>
    new Map([...reads].filter(([path]) => !path.includes('?')));
  return createKnownReads({ users: records(of.users), payments: records(of.payments) });
}
