import { href, params } from './address.ts';
import { graphql } from './gql/index.ts';
import { showAmount } from './money.ts';
import { readReference } from './payments-page.tsx';
import { Progress } from './progress.tsx';
import { showName, showTime } from './show.ts';
import { Table } from './table.tsx';
import { useQuery } from './use-query.ts';

const Search = graphql(`
  query Search($text: String!, $mayReadUsers: Boolean!) {
    search(text: $text, first: 20, maxAgeSeconds: 1) {
      transactions {
        id createdAt state custom amount { ...Amount } card { schemeName last4 } merchant { id name }
      }
      disputes { id status reasonTitle createdAt transaction { id merchant { id } } }
      merchants { id name email }
      users @include(if: $mayReadUsers) { id name email }
      leftOut { id name }
    }
  }
`);

/** The box in the header. */
export function SearchBox({ merchantId }: { merchantId: string }) {
  return (
    <search>
      <form>
        <input type="hidden" name="merchant" value={merchantId} />
        <input
          type="search"
          name="find"
          aria-label="Find anything"
          placeholder="Card, amount, reference, name…"
          defaultValue={params.get('find') ?? ''}
          required
        />
      </form>
    </search>
  );
}

/** What a text means, in everything that the person may see. */
export function SearchPage({ text, mayReadUsers }: { text: string; mayReadUsers: boolean }) {
  const loaded = useQuery(Search, { text, mayReadUsers }, ({ search }) => search);
  const found = loaded.parts.at(-1);
  const payments = (found?.transactions ?? []).map(
    ({ id, createdAt, state, card, custom, amount, merchant }) => [
      <a key={id} href={href({ merchant: merchant?.id ?? '', id })}>
        {showTime(createdAt)}
      </a>,
      <span key={id} className={`state ${state}`}>
        {showName(state)}
      </span>,
      merchant?.name,
      card && `${card.schemeName} •${card.last4}`,
      readReference(custom),
      showAmount(amount),
    ],
  );
  const disputes = (found?.disputes ?? []).map(
    ({ id, createdAt, status, reasonTitle, transaction }) => [
      transaction && (
        <a key={id} href={href({ merchant: transaction.merchant?.id ?? '', id: transaction.id })}>
          {showTime(createdAt)}
        </a>
      ),
      status && showName(status),
      reasonTitle,
    ],
  );
  const merchants = (found?.merchants ?? []).map(({ id, name, email }) => [
    <a key={id} href={href({ merchant: id })}>
      {name ?? id}
    </a>,
    email,
  ]);
  const users = (found?.users ?? []).map(({ name, email }) => [name, email]);
  const tables = [
    ['Payments', ['Created', 'State', 'Merchant', 'Card', 'Reference', 'Amount'], payments],
    ['Disputes', ['Opened', 'Status', 'Reason'], disputes],
    ['Merchants', ['Name', 'Contact'], merchants],
    ['User records', ['Name', 'E-mail'], users],
  ] as const;
  const shown = tables.filter(([, , rows]) => rows.length > 0);
  return (
    <>
      <h1>Found for “{text}”</h1>
      {shown.map(([name, head, rows]) => (
        <Table key={name} name={name} head={head} texts={5} rows={rows} />
      ))}
      {found?.leftOut?.map(({ id, name }) => (
        <p key={id}>The payments of {name ?? id} are not searched: they are still being copied.</p>
      ))}
      {shown.length === 0 && !loaded.busy && <p>Nothing was found.</p>}
      <Progress loaded={{ ...loaded, parts: [] }} />
    </>
  );
}
