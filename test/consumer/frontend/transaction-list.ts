import { type Execute, requireData } from './execute.ts';
import { graphql } from './gql/index.ts';
import { transactionRow } from './transaction-row.ts';

const TransactionPage = graphql(`
  query TransactionPage(
    $merchantId: ID!
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    merchant(id: $merchantId) {
      transactions(first: $first, after: $after, last: $last, before: $before) {
        edges {
          node {
            id
            ...TransactionRow
          }
        }
        pageInfo {
          startCursor
          hasPreviousPage
          endCursor
          hasNextPage
        }
      }
    }
  }
`);

/** Which part of the list to load. */
type Range =
  | { readonly first: number; readonly after: string | null }
  | { readonly last: number; readonly before: string };

/** The payments of a merchant, newest first. It starts empty and grows at both ends. */
export function transactionList(execute: Execute, merchantId: string, pageSize = 20) {
  const rows: { readonly id: string; readonly text: string }[] = [];
  let start: string | null = null;
  let end: string | null = null;
  let hasOlder = true;

  async function load(range: Range) {
    const { merchant } = requireData(await execute(TransactionPage, { merchantId, ...range }));
    if (!merchant?.transactions) throw new Error(`There is no merchant ${merchantId}.`);
    const { edges, pageInfo } = merchant.transactions;
    return {
      pageInfo,
      page: edges.map(({ node }) => ({ id: node.id, text: transactionRow(node) })),
    };
  }

  /** Loads the next page and appends it. */
  async function loadOlder(): Promise<void> {
    const { page, pageInfo } = await load({ first: pageSize, after: end });
    rows.push(...page);
    start ??= pageInfo.startCursor;
    end = pageInfo.endCursor ?? end;
    hasOlder = pageInfo.hasNextPage;
  }

  /** Loads the payments made since the list was loaded, and puts them at the beginning. */
  async function loadNewer(): Promise<void> {
    if (start === null) return loadOlder();
    const { page, pageInfo } = await load({ last: pageSize, before: start });
    rows.unshift(...page);
    start = pageInfo.startCursor ?? start;
    if (pageInfo.hasPreviousPage) await loadNewer();
  }

  return {
    // Read-only for the caller: it changes only by `loadOlder` and `loadNewer`.
    rows: rows as readonly (typeof rows)[number][],
    get hasOlder() {
      return hasOlder;
    },
    loadOlder,
    loadNewer,
  };
}
