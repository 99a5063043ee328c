import { searchCopy } from '../../replica/search-copy.ts';
import { badInput } from '../../schema/bad-input.ts';
import type { Context } from '../../schema/context.ts';
import type { Window } from '../../schema/paging.ts';
import { type Condition, judge, readable } from '../../search/condition.ts';
import type { Examined } from '../../search/examination.ts';
import { justOne, NOTHING } from '../../search/search.ts';
import { walk } from '../../search/walk.ts';
import { readInstant, readStringOrNull } from '../../upstream/record.ts';
import { RestError } from '../../upstream/rest-error.ts';
import { readSearchedId } from './filter/search-text.ts';
import {
  conditionsOf,
  isImpossible,
  successOf,
  type TransactionFilter,
} from './filter/transaction-filter.ts';
import { narrowingOf, transactionCopy } from './transaction-copy.ts';
import type { Transaction } from './transaction-source.ts';

/** Maximum characters of search text. */
const MAX_TEXT = 200;

/** Whether a filter has any conditions. */
export function isFilter(filter: TransactionFilter): boolean {
  return conditionsOf(filter).length > 0;
}

/**
 * Examines the transactions of a merchant.
 *
 * @param also further conditions
 * @param maxAgeSeconds how old the result may be
 */
export async function searchTransactions(
  merchantId: string,
  filter: TransactionFilter,
  window: Window,
  { transactions, search: budget, replica }: Pick<Context, 'transactions' | 'search' | 'replica'>,
  {
    also = [],
    maxAgeSeconds,
  }: {
    readonly also?: readonly Condition<Transaction>[];
    readonly maxAgeSeconds?: number | null | undefined;
  } = {},
): Promise<Examined<Transaction>> {
  const { text, ...others } = filter;
  if (text != null && text.length > MAX_TEXT) {
    throw badInput(`\`filter.text\` must have at most ${MAX_TEXT} characters.`, 'filter.text');
  }
  if (isImpossible(filter)) return NOTHING;
  const id = text == null ? undefined : readSearchedId(text);
  const conditions = [...conditionsOf(id === undefined ? filter : others), ...also];
  const isMatch = (record: Transaction) => judge(record, conditions);
  if (id !== undefined) {
    // Do not reveal whether another merchant has a transaction with this id.
    const record = await transactions.load(id).catch((error) => {
      if (error instanceof RestError && error.status === 403) return null;
      throw error;
    });
    if (record === null) return NOTHING;
    const isShort =
      readStringOrNull(record, 'merchantId') === null || isMatch(record) === 'INCOMPLETE';
    const full = isShort ? await transactions.loadFull(record) : record;
    const isOwn = readStringOrNull(full, 'merchantId') === merchantId;
    return isOwn ? justOne(full, isMatch(full), window) : NOTHING;
  }
  const judged = {
    judge: isMatch,
    judgeFull: async (record: Transaction) => isMatch(await transactions.loadFull(record)),
    createdAt: (record: Transaction) => readable(() => readInstant(record, 'created')),
    created: filter.createdAt ?? {},
  };
  const narrowing = narrowingOf(filter);
  const { adopt } = transactions;
  const copy = { merchantId, list: transactionCopy, narrowing, judged, adopt, maxAgeSeconds };
  const found = await searchCopy(replica, copy, window, budget);
  const paged = () => transactions.paged(merchantId, successOf(filter));
  return found ?? walk(window, { ...paged(), ...judged }, budget);
}
