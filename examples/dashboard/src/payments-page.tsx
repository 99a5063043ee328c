import { Temporal } from 'temporal-polyfill';
import { href, params } from './address.ts';
import { ExportButton } from './export-button.tsx';
import { Field } from './field.tsx';
import {
  type PaymentsQuery,
  type SortDirection,
  type TotalsQuery,
  type TransactionFilter,
  type TransactionOrder,
  type TransactionOrderField,
  TransactionState,
} from './gql/graphql.ts';
import { graphql } from './gql/index.ts';
import { type Happened, useEvents } from './live.ts';
import { addAmounts, showAmount } from './money.ts';
import { Progress } from './progress.tsx';
import { showName, showTime } from './show.ts';
import { Table } from './table.tsx';
import { useQuery } from './use-query.ts';

const Payments = graphql(`
  query Payments(
    $merchantId: ID!, $filter: TransactionFilter, $orderBy: TransactionOrder, $after: String
  ) {
    merchant(id: $merchantId) {
      transactions(
        first: 20, after: $after, filter: $filter, orderBy: $orderBy, maxAgeSeconds: 1
      ) {
        edges { node { id createdAt state custom amount { ...Amount } card { schemeName last4 } } }
        pageInfo { hasNextPage endCursor }
        search { ...Search }
      }
    }
  }
`);

const Totals = graphql(`
  query Totals($merchantId: ID!, $filter: TransactionFilter, $after: String) {
    merchant(id: $merchantId) {
      transactionTotals(filter: $filter, after: $after) {
        groups {
          currency count
          amount { ...Amount } captured { ...Amount } refunded { ...Amount } pending { ...Amount }
        }
        search { ...Search }
        endCursor
      }
    }
  }
`);

/** The order of the list comes from the service; only the replica of the gateway has others. */
const ORDERS = [
  ['', 'Newest first'],
  ['CREATED_AT ASC', 'Oldest first'],
  ['AMOUNT DESC', 'Largest first'],
  ['AMOUNT ASC', 'Smallest first'],
] as const;

function readOrder(value: string): TransactionOrder {
  const [field, direction] = value.split(' ');
  return {
    field: field as TransactionOrderField,
    direction: direction as SortDirection,
  };
}

/** Which payments the page shows. */
export interface PaymentSearch {
  readonly merchantId: string;
  readonly filter: TransactionFilter;
}

export function PaymentsPage({ merchantId }: { merchantId: string }) {
  const search = { merchantId, filter: readFilter() };
  const order = ORDERS.find(([value]) => value === params.get('order')) ?? ORDERS[0];
  const { latest, recent } = useEvents(merchantId);
  const states = Object.values(TransactionState).map((state) => [state, showName(state)] as const);
  return (
    <>
      <h1>Payments</h1>
      <form className="filter">
        <input type="hidden" name="merchant" value={merchantId} />
        <Field name="text" type="search" label="Card, amount, id or reference" />
        <Field name="state" label="State" options={[['', 'Any'], ...states]} />
        <Field name="order" label="Order" options={ORDERS} />
        <Field name="from" type="date" label="From" />
        <Field name="to" type="date" label="To" />
        <button type="submit">Show</button>
      </form>
      <div role="status" className="toasts">
        {[...Map.groupBy(recent, ({ kind }) => kind)].map(([kind, events]) => (
          <p key={kind}>{showEvents(kind, events)}</p>
        ))}
      </div>
      <PaymentTotals {...search} revision={latest?.id} />
      <PaymentList {...search} order={order} revision={latest?.id} />
      <ExportButton {...search} />
    </>
  );
}

/** Events of one kind: `Payment created EUR 12.50`, or `8 payments created`. */
function showEvents(kind: string, events: readonly Happened[]): string {
  const name = showName(kind.replace('TRANSACTION', 'PAYMENT'));
  if (events.length > 1) return `${events.length} ${name.toLowerCase().replace(/ \w+$/, 's$&')}`;
  const amount = events[0]?.amount;
  return amount ? `${name} ${showAmount(amount)}` : name;
}

/** The filter in the address. Its days are those of the time zone of this browser. */
function readFilter(): TransactionFilter {
  const { text, state, from, to } = Object.fromEntries(params);
  const startOf = (day: string, days: number) =>
    Temporal.PlainDate.from(day).add({ days }).toZonedDateTime(Temporal.Now.timeZoneId());
  const createdAt = {
    ...(from && { from: startOf(from, 0).toInstant().toString() }),
    ...(to && { to: startOf(to, 1).toInstant().toString() }),
  };
  return {
    ...(text && { text }),
    ...(state && { state: [state as TransactionState] }),
    ...((from || to) && { createdAt }),
  };
}

/** A new revision is the reason to load again. */
type Revised = PaymentSearch & { readonly revision: string | undefined };

function PaymentTotals({ revision, ...search }: Revised) {
  const select = ({ merchant }: TotalsQuery) => merchant?.transactionTotals;
  const loaded = useQuery(Totals, search, select, revision);
  const all = loaded.parts.flatMap(({ groups }) => groups);
  const rows = [...new Set(all.map(({ currency }) => currency))].map((currency) => {
    const groups = all.filter((group) => group.currency === currency);
    const sum = (name: 'amount' | 'captured' | 'refunded' | 'pending') =>
      showAmount(addAmounts(groups.map((group) => group[name])));
    const count = groups.reduce((total, group) => total + group.count, 0);
    return [currency, count, sum('amount'), sum('captured'), sum('refunded'), sum('pending')];
  });
  const count = all.reduce((total, group) => total + group.count, 0);
  const head = ['Currency', 'Payments', 'Amount', 'Captured', 'Refunded', 'Reserved'];
  return (
    <section>
      <Table name={`Totals of ${count} payments`} head={head} texts={1} rows={rows} />
      <Progress loaded={loaded} />
    </section>
  );
}

function PaymentList({ order, revision, ...search }: Revised & { order: (typeof ORDERS)[number] }) {
  const [value, name] = order;
  const orderBy = value === '' ? null : readOrder(value);
  const select = ({ merchant }: PaymentsQuery) => merchant?.transactions;
  const loaded = useQuery(Payments, { ...search, orderBy }, select, revision);
  const nodes = loaded.parts.flatMap(({ edges }) => edges.map(({ node }) => node));
  const rows = nodes.map(({ id, createdAt, state, card, custom, amount }) => [
    <a key={id} href={href({ merchant: search.merchantId, id })}>
      {showTime(createdAt)}
    </a>,
    <span key={id} className={`state ${state}`}>
      {showName(state)}
    </span>,
    card && `${card.schemeName} •${card.last4}`,
    readReference(custom),
    showAmount(amount),
  ]);
  const head = ['Created', 'State', 'Card', 'Reference', 'Amount'];
  return (
    <section className="list">
      <Table name={name} head={head} texts={4} rows={rows} />
      <Progress loaded={loaded} />
    </section>
  );
}

/** What the shops of the demo data attach to a payment. Yours may attach something else. */
export function readReference(custom: unknown): string {
  const { reference } = (custom ?? {}) as { readonly reference?: unknown };
  return typeof reference === 'string' ? reference : '';
}
