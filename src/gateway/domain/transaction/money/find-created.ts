import type { Effect } from '../../../money/engine/change.ts';
import type {
  Creation,
  OperationIn,
  Rejection,
  SearchPlace,
} from '../../../money/engine/operation.ts';
import { isObject, readInstantOrNull } from '../../../upstream/record.ts';
import { isSuccessful, type Transaction, type TransactionSource } from '../transaction-source.ts';

const MAX_PAGES = 10;
const PAGE_SIZE = 100;
/** Another transaction may still appear among those younger than this. */
const RECENT_MS = 60 * 60 * 1_000;

/** A search for the transaction that an operation creates. */
interface Search {
  readonly operation: Creation & OperationIn<'UNKNOWN'>;
  readonly transactions: TransactionSource;
  /** How many pages may still be read. */
  pages: number;
}

/**
 * Searches the transactions newer than the snapshot for the operation's tag: a limited number of
 * pages, starting where the last search ended.
 */
export async function findCreated(
  operation: Creation & OperationIn<'UNKNOWN'>,
  transactions: TransactionSource,
): Promise<Effect> {
  const search: Search = { operation, transactions, pages: MAX_PAGES };
  const { newest } = operation.snapshot;
  const place = operation.searchPlace ?? (newest === null ? null : { after: newest });
  return place !== null && 'after' in place
    ? searchUp(search, place.after)
    : searchDown(search, place);
}

/** Searches transactions newer than `after`, oldest first. */
async function searchUp(search: Search, after: string): Promise<Effect> {
  let cursor = after;
  let place = after;
  while (search.pages > 0) {
    const { listed, found } = await searchPage(search, { after: cursor });
    if (found !== undefined) return toEffect(found);
    const last = listed.at(-1);
    // The service may shorten a page silently, so only an empty page is the last one.
    if (last === undefined) return notFound(await isNewest(search, cursor), { after: place });
    const recent = listed.findIndex(isRecent);
    const settled = recent === -1 ? last : listed[recent - 1];
    if (place === cursor && settled !== undefined) place = settled.id;
    cursor = last.id;
  }
  return notFound(false, { after: place });
}

/** Searches all transactions, or those older than `place.before`, newest first. */
async function searchDown(
  search: Search,
  place: { readonly before: string; readonly top: string } | null,
): Promise<Effect> {
  let cursor = place?.before;
  let top = place?.top;
  let next: SearchPlace | null = place;
  while (search.pages > 0) {
    const { listed, found } = await searchPage(search, cursor ? { before: cursor } : {});
    if (found !== undefined) return toEffect(found);
    const last = listed.at(-1);
    if (last === undefined) {
      if (place !== null) return searchUp(search, place.top);
      return notFound(true, top === undefined ? null : { after: top });
    }
    top ??= listed.find((transaction) => !isRecent(transaction))?.id;
    if (top !== undefined) next = { before: last.id, top };
    cursor = last.id;
  }
  return notFound(false, next);
}

/**
 * Whether a transaction is the newest one. If not, the empty page after it was not the merchant's,
 * or another transaction has appeared.
 */
async function isNewest({ operation, transactions }: Search, id: string): Promise<boolean> {
  const [newest] = await transactions.listForMoney(operation.merchantId, { limit: 1 });
  return newest?.id === id;
}

async function searchPage(
  search: Search,
  from: { readonly before?: string; readonly after?: string },
): Promise<{ readonly listed: readonly Transaction[]; readonly found: Transaction | undefined }> {
  const { operation, transactions } = search;
  search.pages--;
  const request = { limit: PAGE_SIZE, ...from };
  const listed = await transactions.listForMoney(operation.merchantId, request);
  for (const item of listed) {
    const isIncomplete = item.custom === undefined || item.successful === undefined;
    const transaction = isIncomplete ? await transactions.fresh(item.id) : item;
    if (transaction !== null && readTag(transaction) === operation.id) {
      return { listed, found: transaction };
    }
  }
  return { listed, found: undefined };
}

/** A transaction without a date counts as recent. */
function isRecent(transaction: Transaction): boolean {
  const created = readInstantOrNull(transaction, 'created');
  return created === null || created.getTime() > Date.now() - RECENT_MS;
}

function notFound(complete: boolean, searchPlace: SearchPlace | null): Effect {
  return { kind: 'NOT_FOUND', complete, searchPlace };
}

/** The effect that a transaction with the operation's tag shows. */
export function toEffect(
  transaction: Transaction,
): Extract<Effect, { readonly kind: 'CREATED' | 'DECLINED' }> {
  const { id: transactionId } = transaction;
  if (isSuccessful(transaction)) return { kind: 'CREATED', transactionId };
  return { kind: 'DECLINED', transactionId, rejection: toDecline(transaction.error) };
}

/** Field of `custom` that carries the operation's id; callers may not use it. */
export const RESERVED = 'tillgraph';

/** Adds the operation's id to `custom`, so that the new transaction names its operation. */
export function addTag(custom: object | undefined, operationId: string): object {
  return { ...custom, [RESERVED]: { operation: operationId } };
}

/** The id of the operation that created a transaction, if it has a tag. */
export function readTag({ custom }: Transaction): unknown {
  const tag = isObject(custom) ? custom[RESERVED] : undefined;
  return isObject(tag) ? tag.operation : undefined;
}

/** A decline: the processing error in the service's own shape, without the payment. */
export function toDecline(error: unknown): Rejection {
  const { response: _payment, ...processingError } = isObject(error) ? error : {};
  return {
    code: 'PROCESSING_FAILED',
    message: 'The payments service declined the payment.',
    processingError: isObject(error) ? processingError : (error ?? null),
  };
}
