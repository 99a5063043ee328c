import { fetchList, type ListRequest } from '../rest/list.ts';
import { path } from '../rest/path.ts';
import { isObject, type RestRecord, readFlag } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { RestError } from '../rest/rest-error.ts';

/** A user of a merchant as the service sends it, with the merchant it was listed for. */
export type Member = RestRecord<'email' | 'name' | 'created'> & { readonly merchantId: string };

/** How far a list is walked to find one member: the service has no member by id. */
const FARTHEST = 2_000;

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

  return {
    list,
    /** `null` for who is no member, or when there is no such merchant. */
    find: async (merchantId: string, id: string): Promise<Member | null> => {
      try {
        const members = await list(merchantId, { limit: FARTHEST });
        return members.find((member) => member.id === id) ?? null;
      } catch (error) {
        if (error instanceof RestError && error.notFound) return null;
        throw error;
      }
    },
    /** Answers whether the person was a member already; if the service does not tell, they were invited. */
    invite: async (merchantId: string, email: string): Promise<boolean> => {
      const { body } = await payments.send('POST', path`/merchants/${merchantId}/users`, { email });
      return isObject(body) && readFlag(body, 'isMember');
    },
    revoke: async (merchantId: string, id: string): Promise<void> => {
      await payments.send('DELETE', path`/merchants/${merchantId}/users/${id}`);
    },
  };
}

/** The members of merchants in one request. */
export type MemberSource = ReturnType<typeof createMemberSource>;
