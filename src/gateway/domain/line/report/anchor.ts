import type { Context } from '../../../schema/context.ts';
import { readable } from '../../../search/condition.ts';
import { readIntegerOrNull } from '../../../upstream/record.ts';
import { badResponse } from '../../../upstream/rest-error.ts';
import type { Line } from '../line-source.ts';

/** A line with the balance after it. */
export interface Anchor {
  /** The newest line; undefined if there is none. */
  readonly newest: Line | undefined;
  /** In minor units; null if it is not known. */
  readonly balance: bigint | null;
}

/** Attempts to read the balance without a line arriving in the meantime. */
const TRIES = 3;

/**
 * Reads a merchant's newest line and the balance after it. They belong together if that line is
 * still the newest after the balance was read.
 */
export async function readAnchor(
  merchantId: string,
  { lines, merchants }: Pick<Context, 'lines' | 'merchants'>,
): Promise<Anchor> {
  const list = lines.pagedFresh(merchantId);
  const readNewest = async () => {
    const { records, isLast } = await list.fetch({ limit: 1 });
    // Only the last page can be empty.
    if (records[0] === undefined && !isLast) throw badResponse(list.service, 'GET');
    return records[0];
  };
  let newest = await readNewest();
  for (let count = 0; count < TRIES; count++) {
    const merchant = await merchants.readFresh(merchantId);
    const balance = merchant && readable(() => readIntegerOrNull(merchant, 'balance'));
    if (balance == null) break;
    const after = await readNewest();
    if (after?.id === newest?.id) return { newest, balance: BigInt(balance) };
    newest = after;
  }
  return { newest, balance: null };
}
