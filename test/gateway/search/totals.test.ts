import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openTestReplica, type TestReplica } from '../../support/test-replica.ts';
import { type LedgerService, startLedgerService, type Wire } from './ledger-service.ts';
import { type Payment, payments, plain, stateOfPayment, totals, toWire } from './payment-model.ts';
import { type SearchGateway, startSearchGateway } from './start-search-gateway.ts';
import { type Filter, filters, meets } from './transaction-filters.ts';

const RUNS = 150 * inject('scale');
const merchant: Wire = { id: 'm1', currency: 'EUR', test: true };

let service: LedgerService;
let gateway: SearchGateway;
let copied: SearchGateway;
let replica: TestReplica;
beforeAll(async () => {
  service = await startLedgerService();
  gateway = await startSearchGateway(service, { maxSearchCalls: 3, pageMax: 5 });
  replica = await openTestReplica('any-key');
  copied = await startSearchGateway(service, { maxSearchCalls: 3, pageMax: 100, replica });
});
afterAll(async () => {
  expect(gateway?.bugs).toEqual([]);
  expect(copied?.bugs).toEqual([]);
  await gateway?.close();
  await copied?.close();
  await service?.close();
});

const SUMS = ['amount', 'captured', 'refunded', 'voided', 'pending', 'disputed'] as const;

interface Group {
  readonly currency: string;
  readonly day: string | null;
  readonly cardScheme: string | null;
  readonly state: string | null;
  readonly count: number;
}

interface Totals {
  readonly groups: readonly (Group &
    Record<(typeof SUMS)[number], { minorUnits: number } | null>)[];
  readonly search: { readonly complete: boolean; readonly skipped: number };
  readonly endCursor: string | null;
}

const QUERY = `query ($filter: TransactionFilter, $groupBy: [TotalsDimension!]!, $timeZone: TimeZone, $after: String) {
  merchant(id: "m1") {
    transactionTotals(filter: $filter, groupBy: $groupBy, timeZone: $timeZone, after: $after) {
      groups { currency day cardScheme state count ${SUMS.map((sum) => `${sum} { minorUnits }`).join(' ')} }
      search { source examined complete skipped }
      endCursor
    }
  }
}`;

const ask = (variables: object, from = gateway) => from.ask(QUERY, { ...variables }, 'any-key');

/** Asks both gateways: the one that scans, and the one with a replica. */
async function askBoth(variables: object) {
  await replica.startOver('m1');
  return [await ask(variables), await ask(variables, copied)];
}

/** Adds up the parts, as a client does. */
async function addUp(variables: object, from = gateway): Promise<Map<string, number[]>> {
  const sums = new Map<string, number[]>();
  for (let after: string | null = null; ; ) {
    const { data, errors } = await ask({ ...variables, after }, from);
    expect(errors).toBeUndefined();
    const part: Totals = data.merchant.transactionTotals;
    const keys = part.groups.map(keyOf);
    expect(keys).toEqual([...keys].sort());
    for (const group of part.groups) {
      const found = [group.count, ...SUMS.map((sum) => group[sum]?.minorUnits ?? Number.NaN)];
      const before = sums.get(keyOf(group)) ?? found.map(() => 0);
      sums.set(
        keyOf(group),
        before.map((value, index) => value + (found[index] ?? 0)),
      );
    }
    if (part.search.complete) return sums;
    expect(part.endCursor).not.toBe(after);
    after = part.endCursor;
  }
}

const keyOf = ({ currency, day, cardScheme, state }: Omit<Group, 'count'>) =>
  JSON.stringify([currency, day, cardScheme, state]);

/** The same sums, of the model. */
function expectedOf(
  list: readonly Payment[],
  filter: Filter,
  by: readonly string[],
  timeZone: string,
) {
  const sums = new Map<string, number[]>();
  const schemes: Record<string, string> = { visa: 'VISA', mastercard: 'MASTERCARD' };
  for (const payment of list.filter((one) => meets(one, filter))) {
    const { captured, refunded, voided, pending } = totals(payment);
    const disputed = payment.dispute === 'lost' ? captured : 0;
    const day = new Date(payment.created).toLocaleDateString('sv-SE', { timeZone });
    const key = keyOf({
      currency: payment.currency,
      day: by.includes('DAY') ? day : null,
      cardScheme: by.includes('CARD_SCHEME') ? (schemes[payment.scheme] ?? 'OTHER') : null,
      state: by.includes('STATE') ? stateOfPayment(payment) : null,
    });
    const values = [1, payment.amount, captured, refunded, voided, pending, disputed];
    const before = sums.get(key) ?? values.map(() => 0);
    sums.set(
      key,
      before.map((value, index) => value + (values[index] ?? 0)),
    );
  }
  return sums;
}

const sorted = (sums: ReadonlyMap<string, number[]>) =>
  [...sums].sort(([a], [b]) => (a < b ? -1 : 1));

const cases = fc.record({
  list: payments,
  filter: fc.oneof(fc.constant({}), filters),
  groupBy: fc.subarray(['DAY', 'CARD_SCHEME', 'STATE']),
  timeZone: fc.constantFrom('UTC', 'Europe/Copenhagen', 'Asia/Kathmandu', 'America/New_York'),
  omitted: fc.constantFrom([], ['trail']),
  isCopied: fc.nat(6).map((value) => value === 0),
});

test(`${RUNS} random totals equal the model, to the minor unit`, async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ list, filter, groupBy, timeZone, omitted, isCopied }) => {
      const transactions = list.map((payment) => toWire(payment, 'm1'));
      service.show({ merchant, transactions, lines: [], disputes: [], omitted });
      if (isCopied) await replica.startOver('m1');
      const found = await addUp({ filter, groupBy, timeZone }, isCopied ? copied : gateway);
      expect(sorted(found)).toEqual(sorted(expectedOf(list, filter, groupBy, timeZone)));
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

test('days follow the time zone, also those with 23 and 25 hours', async () => {
  const instants = [
    '2026-03-28T22:59:59.999Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T21:59:59.999Z',
    '2026-10-24T22:00:00.000Z',
    '2026-10-25T22:59:59.999Z',
    '2026-10-25T23:00:00.000Z',
  ];
  const transactions = instants.map((instant, index) =>
    toWire({ ...plain, id: `t${index}`, created: Date.parse(instant) }, 'm1'),
  );
  service.show({ merchant, transactions: transactions.reverse(), lines: [], disputes: [] });
  await replica.startOver('m1');
  for (const from of [gateway, copied]) {
    const found = await addUp({ groupBy: ['DAY'], timeZone: 'Europe/Copenhagen' }, from);
    expect(sorted(found).map(([key, [count]]) => [JSON.parse(key)[1], count])).toEqual([
      ['2026-03-28', 1],
      ['2026-03-29', 2],
      ['2026-10-25', 2],
      ['2026-10-26', 1],
    ]);
  }
});

test('a sum that is too large for an exact number is an error of its field', async () => {
  const huge = { ...plain, amount: Number.MAX_SAFE_INTEGER };
  const transactions = ['t2', 't1'].map((id) => toWire({ ...huge, id }, 'm1'));
  service.show({ merchant, transactions, lines: [], disputes: [] });
  for (const { data, errors } of await askBoth({ groupBy: [] })) {
    expect(data.merchant.transactionTotals.groups).toMatchObject([
      { count: 2, amount: null, captured: { minorUnits: 0 } },
    ]);
    expect(errors).toMatchObject([{ extensions: { code: 'SUM_TOO_LARGE' } }, {}]);
  }
});

test('a transaction that cannot be added up is skipped, and counted', async () => {
  const good = toWire({ ...plain, id: 't1' }, 'm1');
  const transactions = [{ ...good, id: 't2', voidedAmount: 'x' }, good];
  service.show({ merchant, transactions, lines: [], disputes: [] });
  const answers = await askBoth({ groupBy: [] });
  expect(answers.map(({ data }) => data.merchant.transactionTotals)).toMatchObject(
    ['SCAN', 'REPLICA'].map((source) => ({
      groups: [{ count: 1 }],
      search: { source, examined: 2, skipped: 1, complete: true },
    })),
  );
});

test.each([
  [{ groupBy: ['DAY'] }, '`groupBy: [DAY]` requires `timeZone`.'],
  [{ groupBy: [], timeZone: 'Mars/Base' }, 'A TimeZone must be a name from the IANA database'],
  [{ groupBy: [], timeZone: '+01:00' }, 'A TimeZone must be a name from the IANA database'],
  [{ groupBy: [], after: 'x' }, '`after` is not a cursor.'],
])('%j is an error that says what to change', async (variables, message) => {
  const { errors } = await ask(variables);
  expect(errors?.[0]?.message).toContain(message);
  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
});

test('of a declined payment, only the amount counts, whatever its counters say', async () => {
  const declined = toWire({ ...plain, id: 't1', declined: true }, 'm1');
  const transactions = [{ ...declined, capturedAmount: 5, pendingAmount: 5 }];
  service.show({ merchant, transactions, lines: [], disputes: [] });
  for (const { data } of await askBoth({ groupBy: [] })) {
    expect(data.merchant.transactionTotals.groups).toMatchObject([
      { amount: { minorUnits: 1000 }, captured: { minorUnits: 0 }, pending: { minorUnits: 0 } },
    ]);
  }
});
