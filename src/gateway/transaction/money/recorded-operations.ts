import type { Context } from '../../context.ts';
import type { ListedOperation, OperationQuery } from '../../operation/store/operation-list.ts';
import { callLimitReached } from '../../rest/rest-error.ts';

/**
 * Lists recorded operations for a caller who can read their merchant, which the service decides,
 * once per request; nothing for other callers. Throws as the read of the merchant does. A list
 * counts as a call of the request.
 */
export async function listRecorded(
  query: OperationQuery,
  context: Context,
): Promise<readonly ListedOperation[]> {
  const { merchants, money, owner, deadline } = context;
  const merchant = await merchants.load(query.merchantId);
  // An intermediary can confuse two responses.
  if (merchant?.id !== query.merchantId) return [];
  if (!context.takeCall()) throw callLimitReached('payments', 'GET');
  return money.list(query, { owner, deadline });
}
