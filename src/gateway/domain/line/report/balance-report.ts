import { toExactMoney } from '../../../schema/amount.ts';
import { badInput } from '../../../schema/bad-input.ts';
import { builder } from '../../../schema/builder.ts';
import { MoneyRef } from '../../../schema/money.ts';
import { semanticNonNull } from '../../../schema/semantic-non-null.ts';
import { SearchProgressRef } from '../../../search/search-progress.ts';
import { readCurrency } from '../../../upstream/record.ts';
import { MerchantRef } from '../../merchant/merchant.ts';
import { LINE_KINDS, LineKindRef } from '../line.ts';
import { makeReport, type Report } from './report.ts';
import type { Row } from './tally.ts';
import { netOf } from './tally.ts';

const BalanceBasisRef = builder.enumType('BalanceBasis', {
  description: 'How the balances of a report are calculated.',
  values: {
    SUMMED: { description: 'The sum of all lines of the merchant, starting with the first.' },
    DERIVED: {
      description: '`Merchant.balance` minus all lines that are newer than the period.',
    },
  },
});

type KindRow = Omit<Row, 'day'> & { readonly currency: string };

const RowRef = builder.objectRef<KindRow>('BalanceReportRow').implement({
  description: 'Totals of the lines of one kind.',
  fields: (t) => ({
    kind: t.expose('kind', { type: LineKindRef, description: 'The kind of the lines.' }),
    count: t.exposeInt('count', { description: 'Number of lines.' }),
    net: t.field({
      type: MoneyRef,
      description: 'Sum of the balance changes.',
      resolve: ({ net, currency }) => toExactMoney(net, currency),
    }),
    fees: t.field({
      type: MoneyRef,
      description: 'Sum of the fees. Already deducted from `net`.',
      resolve: ({ fees, currency }) => toExactMoney(fees, currency),
    }),
  }),
});

/** The rows of one day, with the opening balance if it is known. */
interface Day {
  readonly date: string;
  readonly currency: string;
  readonly rows: readonly Row[];
  readonly opening: bigint | undefined;
}

const DayRef = builder.objectRef<Day>('BalanceReportDay').implement({
  description: 'Balance changes on one day.',
  fields: (t) => ({
    date: t.expose('date', { type: 'Date', description: 'The day, in `timeZone`.' }),
    opening: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        'Balance at the start of the day, or at the start of the period if the period starts on this day. Null if it is not known.',
      resolve: ({ opening, currency }) =>
        opening === undefined ? null : toExactMoney(opening, currency),
    }),
    closing: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        'Balance at the end of the day, or at the end of the period if the period ends on this day. Null if it is not known.',
      resolve: ({ opening, rows, currency }) =>
        opening === undefined ? null : toExactMoney(opening + netOf(rows), currency),
    }),
    kinds: t.field({
      type: [RowRef],
      description:
        'A row for each kind that has lines, in the order CAPTURE, REFUND, DISPUTE, PAYOUT, OTHER.',
      resolve: ({ rows, currency }) => byKind(rows, currency),
    }),
  }),
});

/** Adds rows of the same kind. */
function byKind(rows: readonly Row[], currency: string): KindRow[] {
  return LINE_KINDS.flatMap((kind) => {
    const same = rows.filter((row) => row.kind === kind);
    if (same.length === 0) return [];
    const count = same.reduce((sum, row) => sum + row.count, 0);
    const fees = same.reduce((sum, row) => sum + row.fees, 0n);
    return [{ kind, count, fees, net: netOf(same), currency }];
  });
}

function byDay({ rows, balances, currency }: Report): Day[] {
  let opening = balances?.opening;
  const byDate = new Map<string, Row[]>();
  for (const row of rows) {
    const same = byDate.get(row.day);
    if (same === undefined) byDate.set(row.day, [row]);
    else same.push(row);
  }
  return [...byDate]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([date, same]) => {
      const day = { date, currency, rows: same, opening };
      if (opening !== undefined) opening += netOf(same);
      return day;
    });
}

const ReportRef = builder.objectRef<Report>('BalanceReport').implement({
  description:
    'Balance changes of a merchant in a period. Until `search.complete` is true, the report covers only some of the lines.',
  fields: (t) => ({
    opening: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        "Balance at the start of the period. Null if `search.complete` is false, if a line could not be read, or if the payments service does not report `Merchant.balance` and the report does not reach the merchant's first line.",
      resolve: ({ balances, currency }) => balances && toExactMoney(balances.opening, currency),
    }),
    closing: t.field({
      type: MoneyRef,
      nullable: true,
      description: 'Balance at the end of the period. Null if `opening` is null.',
      resolve: ({ balances, currency }) => balances && toExactMoney(balances.closing, currency),
    }),
    basis: t.field({
      type: BalanceBasisRef,
      nullable: true,
      description: 'How the balances are calculated. Null if they are not known.',
      resolve: ({ balances }) => balances?.basis,
    }),
    discrepancy: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        '`Merchant.balance` minus the sum of all lines. Negative if the balance is lower than the sum. Null if they are equal, or if one of them is not known.',
      resolve: ({ balances, currency }) =>
        balances === undefined || balances.discrepancy === 0n
          ? null
          : toExactMoney(balances.discrepancy, currency),
    }),
    kinds: t.field({
      type: [RowRef],
      description:
        'A row for each kind that has lines, in the order CAPTURE, REFUND, DISPUTE, PAYOUT, OTHER.',
      resolve: ({ rows, currency }) => byKind(rows, currency),
    }),
    days: t.field({
      type: [DayRef],
      description: 'The days that have lines, oldest first.',
      resolve: byDay,
    }),
    search: t.expose('search', {
      type: SearchProgressRef,
      description:
        'What this request examined. If `complete` is false, request the report again with `after: <endCursor>`. Each response contains all rows so far, so use only the last response.',
    }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description:
        'Cursor to continue the report. Null if the merchant has no lines, or if other searches in the request used all its calls before the report started. In the second case, request the report again without `after`.',
    }),
  }),
});

builder.objectField(MerchantRef, 'balanceReport', (t) =>
  t.field({
    type: ReportRef,
    ...semanticNonNull,
    description:
      'Balance changes in a period. The gateway reads the balance from the payments service, and the lines from its replica; without one, from the service, newest first, with a limited number of calls per request. Lines created after the report started are not included.',
    args: {
      from: t.arg({
        type: 'DateTime',
        required: true,
        description: 'Start of the period, included.',
      }),
      to: t.arg({
        type: 'DateTime',
        required: true,
        description: 'End of the period, not included.',
      }),
      timeZone: t.arg({
        type: 'TimeZone',
        required: true,
        description: 'The time zone that determines when a day starts.',
      }),
      after: t.arg.string({
        description:
          'The `endCursor` of the previous response. The merchant and the other arguments must be the same.',
      }),
    },
    resolve: async (merchant, { from, to, timeZone, after }, context) => {
      if (from > to) throw badInput('`from` must not be after `to`.', 'from');
      const currency = await context.merchants.read(merchant, (record) =>
        readCurrency(record, 'currency'),
      );
      const subject = { merchantId: merchant.id, currency, from, to, timeZone };
      return makeReport(subject, after || undefined, context);
    },
  }),
);
