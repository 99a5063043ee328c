import { badInput } from '../../schema/bad-input.ts';
import type { Context } from '../../schema/context.ts';
import { readId } from '../../schema/node-id.ts';
import { RestError } from '../../upstream/rest-error.ts';

/** How many merchants a client can name. Each costs a call. */
export const MAX_MERCHANTS = 20;

/**
 * The merchants that the caller has access to, or those of them that it names. The payments service
 * decides, with the caller's key.
 */
export async function accessibleMerchants(
  ids: readonly string[] | null | undefined,
  { merchants, viewer }: Pick<Context, 'merchants' | 'viewer'>,
): Promise<readonly string[]> {
  if (ids == null) {
    const all = await merchants.listAll((await viewer.load()).id);
    return all.map(({ id }) => id);
  }
  if (ids.length > MAX_MERCHANTS) {
    throw badInput(`\`merchantIds\` must have at most ${MAX_MERCHANTS} ids.`, 'merchantIds');
  }
  const rawIds = [...new Set(ids.map((id) => readId('mer', id, 'merchantIds')))];
  const found = await Promise.all(
    rawIds.map((id) =>
      // Do not reveal whether a merchant exists that the caller has no access to.
      merchants.load(id).catch((error) => {
        if (error instanceof RestError && error.status === 403) return null;
        throw error;
      }),
    ),
  );
  if (found.includes(null)) {
    const message = '`merchantIds` names a merchant that your app has no access to.';
    throw badInput(message, 'merchantIds');
  }
  return rawIds;
}

/** Merchants that the caller has access to, from their ids. */
export async function loadMerchants(
  ids: readonly string[],
  { merchants }: Pick<Context, 'merchants'>,
) {
  const found = await Promise.all(ids.map(merchants.load));
  return found.filter((merchant) => merchant !== null);
}
