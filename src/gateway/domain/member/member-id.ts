import { badInput } from '../../schema/bad-input.ts';
import { readId, toNodeId } from '../../schema/node-id.ts';

/** The form of a member's node id after its prefix: the merchant's id, a dot, the member's id. */
export const MEMBER_ID = /^([A-Za-z0-9_-]{1,128})\.([A-Za-z0-9_-]{1,128})$/;

/** Joins the ids of a merchant and a member: the service needs both to find a member. */
export function joinIds(merchantId: string, memberId: string): string {
  return `${merchantId}.${memberId}`;
}

/** The two ids of {@link joinIds}. */
export function splitIds(joined: string): readonly [merchantId: string, memberId: string] {
  const [, merchantId = '', memberId = ''] = MEMBER_ID.exec(joined) ?? [];
  return [merchantId, memberId];
}

/** The node id of a member. */
export function toMemberId(merchantId: string, memberId: string): string {
  return toNodeId('mbr', joinIds(merchantId, memberId));
}

/**
 * Reads an `ID` argument that names a member of a merchant: a node id, which must be of
 * that merchant, or a `rawId`.
 */
export function readMemberId(id: string, merchantId: string, argument: string): string {
  const joined = MEMBER_ID.exec(id.startsWith('mbr_') ? id.slice(4) : '');
  if (joined === null) return readId('mbr', id, argument);
  const [, ownMerchantId, memberId = ''] = joined;
  if (ownMerchantId === merchantId) return memberId;
  throw badInput(`\`${argument}\` is a member of another merchant.`, argument);
}
