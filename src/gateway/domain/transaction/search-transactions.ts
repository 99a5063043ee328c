import type { RecordOrder } from '../../replica/copied-list.ts';
import type { OpenOptions } from '../../replica/replica.ts';
import { type AddedUp, addUpCopy, countCopy, searchCopy } from '../../replica/search-copy.ts';
import { badInput } from '../../schema/bad-input.ts';
import type { Context } from '../../schema/context.ts';
import type { Window } from '../../schema/paging.ts';
import { type Condition, judge, readable, type Verdict } from '../../search/condition.ts';
import type { Examined } from '../../search/examination.ts';
import { everythingFrom, justOne, NOTHING } from '../../search/search.ts';
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
export const MAX_TEXT = 200;

/** Whether a filter has any conditions. */
export function isFilter(filter: TransactionFilter): boolean {
  return conditionsOf(filter).length > 0;
}

/** What a search uses of the context. */
type SearchContext = Pick<Context, 'transactions' | 'search' | 'replica'>;

/** How transactions are searched. */
export interface SearchOptions extends OpenOptions {
  /** Further conditions. */
  readonly also?: readonly Condition<Transaction>[];
  /** Default: the order of the service, newest first, of one merchant. */
  readonly order?: RecordOrder | undefined;
}

/** Examines the transactions of merchants that the caller has access to. */
export async function searchTransactions(
  merchantIds: readonly string[],
  filter: TransactionFilter,
  window: Window,
  context: SearchContext,
  { also = [], order, ...options }: SearchOptions = {},
): Promise<Examined<Transaction>> {
  const { transactions, search: budget, replica } = context;
  checkText(filter);
  const [merchantId] = merchantIds;
  if (isImpossible(filter) || merchantId === undefined) return NOTHING;
  const { text, ...others } = filter;
  const id = text == null ? undefined : readSearchedId(text);
  if (id !== undefined) {
    const isMatch = judgeBy(others, also);
    const record = await loadOwn(id, merchantIds, isMatch, transactions);
    return record === null ? NOTHING : justOne(record, isMatch(record), window);
  }
  const copy = toCopySearch(merchantIds, filter, transactions, also);
  const found = await searchCopy(replica, { ...copy, ...options, order }, window, budget);
  const paged = () => transactions.paged(merchantId, successOf(filter));
  return found ?? walk(window, { ...paged(), ...copy.judged }, budget);
}

/** Counts the transactions of merchants that the caller has access to. */
export async function countTransactions(
  merchantIds: readonly string[],
  filter: TransactionFilter,
  context: SearchContext,
  options: OpenOptions,
): Promise<number> {
  const { transactions, search: budget, replica } = context;
  checkText(filter);
  if (isImpossible(filter) || merchantIds.length === 0) return 0;
  if (filter.text != null && readSearchedId(filter.text) !== undefined) {
    const window = everythingFrom(undefined);
    return (await searchTransactions(merchantIds, filter, window, context)).matches.length;
  }
  const copy = toCopySearch(merchantIds, filter, transactions, []);
  return countCopy(replica, { ...copy, ...options }, budget);
}

/**
 * Adds up the transactions of a merchant in its copy. Undefined if only the transactions themselves
 * can tell which match, or if there is no copy that can answer.
 */
export async function addUpTransactions(
  merchantId: string,
  filter: TransactionFilter,
  grouping: Parameters<typeof addUpCopy>[2],
  start: string | undefined,
  { transactions, search: budget, replica }: SearchContext,
  { also = [], ...options }: SearchOptions,
): Promise<AddedUp<Transaction> | undefined> {
  if (isImpossible(filter)) return undefined;
  const copy = { ...toCopySearch([merchantId], filter, transactions, also), ...options };
  return addUpCopy(replica, copy, grouping, start, budget);
}

function checkText({ text }: TransactionFilter): void {
  if (text == null || text.length <= MAX_TEXT) return;
  throw badInput(`\`filter.text\` must have at most ${MAX_TEXT} characters.`, 'filter.text');
}

const judgeBy = (filter: TransactionFilter, also: readonly Condition<Transaction>[]) => {
  const conditions = [...conditionsOf(filter), ...also];
  return (record: Transaction) => judge(record, conditions);
};

/** The transaction with what the filter needs, if it is of one of the merchants. */
async function loadOwn(
  id: string,
  merchantIds: readonly string[],
  isMatch: (record: Transaction) => Verdict,
  transactions: Context['transactions'],
): Promise<Transaction | null> {
  // Do not reveal whether another merchant has a transaction with this id.
  const record = await transactions.load(id).catch((error) => {
    if (error instanceof RestError && error.status === 403) return null;
    throw error;
  });
  if (record === null) return null;
  const isShort =
    readStringOrNull(record, 'merchantId') === null || isMatch(record) === 'INCOMPLETE';
  const full = isShort ? await transactions.loadFull(record) : record;
  return merchantIds.includes(readStringOrNull(full, 'merchantId') ?? '') ? full : null;
}

function toCopySearch(
  merchantIds: readonly string[],
  filter: TransactionFilter,
  transactions: Context['transactions'],
  also: readonly Condition<Transaction>[],
) {
  const isMatch = judgeBy(filter, also);
  return {
    merchantIds,
    list: transactionCopy,
    narrowing: narrowingOf(filter),
    judged: {
      judge: isMatch,
      judgeFull: async (record: Transaction) => isMatch(await transactions.loadFull(record)),
      createdAt: (record: Transaction) => readable(() => readInstant(record, 'created')),
      created: filter.createdAt ?? {},
    },
    adopt: transactions.adopt,
  };
}
