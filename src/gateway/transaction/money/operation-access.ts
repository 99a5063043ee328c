import type { Context } from '../../context.ts';

/**
 * Whether the caller can read a merchant, and so its operations: the service decides, once per
 * request. Throws as the read does.
 */
export async function canReadMerchant(
  merchantId: string,
  { merchants }: Context,
): Promise<boolean> {
  // An intermediary can confuse two responses.
  return (await merchants.load(merchantId))?.id === merchantId;
}
