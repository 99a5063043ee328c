import { fetchList, type ListRequest } from '../../upstream/list.ts';
import { path } from '../../upstream/path.ts';
import { isObject, type RestRecord, readFlag } from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';
import { RestError } from '../../upstream/rest-error.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly members: MemberSource;
  }
}

/** A user of a merchant as the service sends it, with the id of the merchant. */
export type Member = RestRecord<'email' | 'name' | 'created'> & { readonly merchantId: string };

/** How many members to search: the service cannot look up a single member. */
const MAX_SEARCHED = 2_000;

/** The members of merchants in one request. Specification: payments, "Operations". */
export function createMemberSource(payments: RestClient) {
  async function list(merchantId: string, request: ListRequest): Promise<readonly Member[]> {
    const users = await fetchList<RestRecord>(
      payments,
      path`/merchants/${merchantId}/users`,
      request,
      { name: 'users' },
    );
    return users.map((user) => ({ ...user, merchantId }));
  }

  const listAll = (merchantId: string) => list(merchantId, { limit: MAX_SEARCHED });

  return {
    list,
    listAll,
    /** `null` if the merchant has no such member, or does not exist. */
    find: async (
      merchantId: string,
      isWanted: (member: Member) => boolean,
    ): Promise<Member | null> => {
      try {
        const members = await listAll(merchantId);
        return members.find(isWanted) ?? null;
      } catch (error) {
        if (error instanceof RestError && error.notFound) return null;
        throw error;
      }
    },
    /** Returns whether the person was already a member; false if the response does not say. */
    invite: async (merchantId: string, email: string): Promise<boolean> => {
      const { body } = await payments.send('POST', path`/merchants/${merchantId}/users`, { email });
      try {
        return isObject(body) && readFlag(body, 'isMember');
      } catch {
        // The invitation was sent, so an unreadable flag must not look like a failure.
        return false;
      }
    },
    revoke: async (merchantId: string, id: string): Promise<void> => {
      await payments.send('DELETE', path`/merchants/${merchantId}/users/${id}`);
    },
  };
}

/** The members of merchants in one request. */
export type MemberSource = ReturnType<typeof createMemberSource>;
