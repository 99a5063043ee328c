import { createRecord, fetchRecord } from '../../upstream/fetch-record.ts';
import { fetchUnpagedList } from '../../upstream/list.ts';
import { loadById, oneByOne } from '../../upstream/load-by-id.ts';
import { path } from '../../upstream/path.ts';
import type { RestRecord } from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly users: UserSource;
  }
}

/** A user record as the service sends it. Specification: user records, "Resources". */
export type User = RestRecord<'name' | 'email' | 'address'>;

/** The content of a user record. */
export interface UserFields {
  readonly name: string;
  readonly email: string;
  readonly address: string;
}

/** For more ids than this, one list is cheaper than single reads. */
const MAX_SINGLE_READS = 3;

/**
 * The user records of one request. Every method waits for `requireAccess` first, because
 * the service itself accepts every caller.
 */
export function createUserSource(users: RestClient, requireAccess: () => Promise<void>) {
  const { byId, list, forget } = createReader(users, requireAccess);

  async function write<T>(id: string | undefined, send: () => Promise<T>): Promise<T> {
    await requireAccess();
    try {
      return await send();
    } finally {
      forget(id); // after a failure too: the record may have changed
    }
  }

  return {
    read: byId.read,
    load: async (id: string) => {
      await requireAccess();
      return byId.load(id);
    },
    /** All records, in the order of the service, which has no pagination. */
    list,
    /** Returns the new id. The response may contain nothing else. */
    create: async (fields: UserFields): Promise<string> => {
      const user = { name: 'user', body: fields, idFromLocation: true };
      return write(undefined, async () => (await createRecord(users, path`/users`, user)).id);
    },
    replace: async (id: string, fields: UserFields): Promise<void> => {
      await write(id, () => users.send('PUT', path`/users/${id}`, fields));
    },
    update: async (id: string, fields: Partial<UserFields>): Promise<void> => {
      await write(id, () => users.send('PATCH', path`/users/${id}`, fields));
    },
    delete: async (id: string): Promise<void> => {
      await write(id, () => users.send('DELETE', path`/users/${id}`));
    },
  };
}

/** Reads single records one by one, and many of them from the list. */
function createReader(users: RestClient, requireAccess: () => Promise<void>) {
  let all: Promise<readonly User[]> | undefined;

  const fetchSingly = oneByOne((id) => fetchRecord<User>(users, path`/users/${id}`, 'user'));

  const byId = loadById<User>('users', async (ids) => {
    if (all === undefined && ids.length <= MAX_SINGLE_READS) return fetchSingly(ids);
    const known = new Map((await list()).map((user) => [user.id, user]));
    return ids.map((id) => known.get(id) ?? null);
  });

  async function list(): Promise<readonly User[]> {
    await requireAccess();
    all ??= fetchUnpagedList<User>(users, path`/users`, 'users').then((records) =>
      byId.seed(records),
    );
    return all;
  }

  function forget(id: string | undefined): void {
    all = undefined;
    if (id !== undefined) byId.forget(id);
  }

  return { byId, list, forget };
}

/** The user records of one request. */
export type UserSource = ReturnType<typeof createUserSource>;
