import { Temporal } from 'temporal-polyfill';
import { params } from './address.ts';
import { Chart } from './chart.tsx';
import { Field } from './field.tsx';
import type { AmountFragment, LineKind } from './gql/graphql.ts';
import { graphql } from './gql/index.ts';
import { showAmount } from './money.ts';
import { Progress } from './progress.tsx';
import { showName } from './show.ts';
import { Table } from './table.tsx';
import { useQuery } from './use-query.ts';

const Balance = graphql(`
  query Balance(
    $merchantId: ID!, $from: DateTime!, $to: DateTime!, $timeZone: TimeZone!, $after: String
  ) {
    merchant(id: $merchantId) {
      balanceReport(from: $from, to: $to, timeZone: $timeZone, after: $after) {
        opening { ...Amount } closing { ...Amount } discrepancy { ...Amount }
        kinds { kind net { ...Amount } }
        days { date closing { ...Amount } kinds { kind net { ...Amount } } }
        search { ...Search }
        endCursor
      }
    }
  }
`);

/** What a day adds to the chart. */
function toBars({ date, kinds }: { date: string; kinds: readonly Row[] }) {
  const net = (kind: LineKind) => kinds.find((row) => row.kind === kind)?.net;
  return { date, captured: net('CAPTURE'), refunded: net('REFUND') };
}

interface Row {
  readonly kind: LineKind;
  readonly net: AmountFragment;
}

/** How the balance changed on each day of a month. */
export function BalancePage({ merchantId }: { merchantId: string }) {
  const timeZone = params.get('timeZone') ?? Temporal.Now.timeZoneId();
  const thisMonth = Temporal.Now.plainDateISO(timeZone).toPlainYearMonth().toString();
  const month = Temporal.PlainYearMonth.from(params.get('month') ?? thisMonth);
  const startOf = ({ months = 0 }) =>
    month.add({ months }).toPlainDate({ day: 1 }).toZonedDateTime(timeZone).toInstant().toString();
  const period = { from: startOf({}), to: startOf({ months: 1 }), timeZone };
  const zones = Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone] as const);
  const loaded = useQuery(
    Balance,
    { merchantId, ...period },
    ({ merchant }) => merchant?.balanceReport,
  );
  // Each part of a report includes the parts before it.
  const { kinds = [], days = [], opening, closing, discrepancy } = loaded.parts.at(-1) ?? {};
  const net = (rows: readonly Row[]) =>
    kinds.map(({ kind }) => {
      const row = rows.find((one) => one.kind === kind);
      return row ? showAmount(row.net) : '';
    });
  const rows = [
    ['Opening', ...net([]), showAmount(opening)],
    ...days.map((day) => [day.date, ...net(day.kinds), showAmount(day.closing)]),
    ['Total', ...net(kinds), showAmount(closing)],
  ];
  const head = ['Day', ...kinds.map(({ kind }) => showName(kind)), 'Balance'];
  return (
    <>
      <h1>Balance</h1>
      <form className="filter">
        <input type="hidden" name="merchant" value={merchantId} />
        <input type="hidden" name="page" value="balance" />
        <Field name="month" type="month" label="Month" value={thisMonth} />
        <Field name="timeZone" label="Time zone" options={zones} value={timeZone} />
        <button type="submit">Show</button>
      </form>
      <Chart name="Captured (green) and refunded (red) on each day" days={days.map(toBars)} />
      <Table name={`Days in ${timeZone}`} head={head} texts={1} rows={rows} />
      {discrepancy && <p role="alert">The lines lack {showAmount(discrepancy)}.</p>}
      <Progress loaded={loaded} />
    </>
  );
}
