import { fetchRecord, loadById, oneByOne } from '../rest/load-by-id.ts';
import { path } from '../rest/path.ts';
import { identified, openList, openRecord, type RestRecord } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { RestError } from '../rest/rest-error.ts';

/** A user record as the service sends it. Specification: user records, "Resources". */
export type User = RestRecord<'name' | 'email' | 'address'>;

/** What a user record is made of; what is left out of an update stays. */
export interface UserFields {
  readonly name: string;
  readonly email: string;
  readonly address: string;
}

/** Above so many ids one list is cheaper than single reads. */
const MOST_SINGLE_READS = 3;

/**
 * User records of one request. Every way to them waits for `requireAccess` first, for
 * the service itself lets everybody in.
 */
export function createUserSource(users: RestClient, requireAccess: () => Promise<void>) {
  let whole: Promise<readonly User[]> | undefined;

  async function fetchAll(): Promise<readonly User[]> {
    const elements = openList(await users.get(path`/users`), 'users');
    if (elements === undefined) throw new RestError('users', 'GET', 'bad-response');
    return elements
      .map((element) => identified<User>(element))
      .filter((user) => user !== undefined);
  }

  const single = oneByOne((id) => fetchRecord<User>(users, path`/users/${id}`, 'user'));

  const byId = loadById<User>('users', async (ids) => {
    if (whole === undefined && ids.length <= MOST_SINGLE_READS) return single(ids);
    const known = new Map((await list()).map((user) => [user.id, user]));
    return ids.map((id) => known.get(id) ?? null);
  });

  async function list(): Promise<readonly User[]> {
    await requireAccess();
    whole ??= fetchAll().then((records) => byId.seed(records));
    return whole;
  }

  function forget(id?: string): void {
    whole = undefined;
    if (id !== undefined) byId.forget(id);
  }

  return {
    read: byId.read,
    load: async (id: string) => {
      await requireAccess();
      return byId.load(id);
    },
    /** Every record, in the order of the service, which knows no pages. */
    list,
    /** Answers the new id; the service may say no more than that. */
    create: async (fields: UserFields): Promise<string> => {
      await requireAccess();
      try {
        const { body, location } = await users.send('POST', path`/users`, fields);
        const id = openRecord(body, 'user')?.id ?? /\/users\/([^/?#]+)$/.exec(location ?? '')?.[1];
        if (id === undefined) throw new RestError('users', 'POST', 'bad-response');
        return id;
      } finally {
        forget();
      }
    },
    replace: (id: string, fields: UserFields) => write('PUT', id, fields),
    update: (id: string, fields: Partial<UserFields>) => write('PATCH', id, fields),
    delete: (id: string) => write('DELETE', id),
  };

  async function write(method: 'PUT' | 'PATCH' | 'DELETE', id: string, fields?: object) {
    await requireAccess();
    try {
      await users.send(method, path`/users/${id}`, fields);
    } finally {
      forget(id); // also after a timeout: nobody knows what the record is now
    }
  }
}

/** User records of one request. */
export type UserSource = ReturnType<typeof createUserSource>;
