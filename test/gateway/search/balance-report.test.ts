import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openTestReplica, type TestReplica } from '../../support/test-replica.ts';
import { type LedgerService, startLedgerService, type Wire } from './ledger-service.ts';
import { type SearchGateway, startSearchGateway } from './start-search-gateway.ts';

const RUNS = 100 * inject('scale');
const HOUR = 3_600_000;
/** The day before the clocks change in Copenhagen; a week later they do in New York. */
const START = Date.UTC(2026, 9, 24);
const iso = (hours: number) => new Date(START + hours * HOUR).toISOString();

let service: LedgerService;
let gateway: SearchGateway;
let copied: SearchGateway;
let replica: TestReplica;
beforeAll(async () => {
  service = await startLedgerService();
  gateway = await startSearchGateway(service, { maxSearchCalls: 5, pageMax: 4 });
  replica = await openTestReplica('any-key');
  copied = await startSearchGateway(service, { maxSearchCalls: 5, pageMax: 100, replica });
});
afterAll(async () => {
  for (const one of [gateway, copied]) {
    expect(one?.bugs).toEqual([]);
    await one?.close();
  }
  await service?.close();
});

const KINDS = ['CAPTURE', 'REFUND', 'DISPUTE', 'PAYOUT', 'OTHER'] as const;

/** A line as a test knows it. */
interface Line {
  readonly id: string;
  readonly hours: number;
  readonly kind: (typeof KINDS)[number];
  readonly change: number;
  readonly fee: number;
}

const toWire = ({ id, hours, kind, change, fee }: Line): Wire => ({
  ...{ id, merchantId: 'm1', created: iso(hours), balance: change, fee },
  ...(kind === 'OTHER' ? {} : { [kind.toLowerCase()]: true }),
});

const sumOf = (lines: readonly Line[]) => lines.reduce((sum, { change }) => sum + change, 0);

/** What the service shows: all lines, or all but the hidden one, and the balance, or none. */
function ledger(lines: readonly Line[], { isReported, hidden }: Case) {
  const merchant: Wire = { id: 'm1', currency: 'DKK', test: true };
  return {
    merchant: isReported ? { ...merchant, balance: sumOf(lines) } : merchant,
    ...{ transactions: [], disputes: [] },
    lines: lines.filter(({ id }) => id !== hidden).map(toWire),
  };
}

interface Money {
  readonly minorUnits: number;
}

interface KindRow {
  readonly kind: string;
  readonly count: number;
  readonly net: Money;
  readonly fees: Money;
}

interface Report {
  readonly opening: Money | null;
  readonly closing: Money | null;
  readonly basis: string | null;
  readonly discrepancy: Money | null;
  readonly kinds: readonly KindRow[];
  readonly days: readonly {
    readonly date: string;
    readonly opening: Money | null;
    readonly closing: Money | null;
    readonly kinds: readonly KindRow[];
  }[];
  readonly search: {
    readonly source: string;
    readonly complete: boolean;
    readonly skipped: number;
    readonly examined: number;
  };
  readonly endCursor: string | null;
}

const QUERY = `query ($from: DateTime!, $to: DateTime!, $timeZone: TimeZone!, $after: String) {
  merchant(id: "m1") {
    balanceReport(from: $from, to: $to, timeZone: $timeZone, after: $after) {
      opening { minorUnits } closing { minorUnits } basis discrepancy { minorUnits }
      kinds { kind count net { minorUnits } fees { minorUnits } }
      days { date opening { minorUnits } closing { minorUnits } kinds { kind count net { minorUnits } fees { minorUnits } } }
      search { source complete skipped examined }
      endCursor
    }
  }
}`;

const ask = (variables: object, from = gateway) => from.ask(QUERY, { ...variables }, 'any-key');

/** Continues a report until it is complete. */
async function complete(variables: object, from = gateway): Promise<Report> {
  for (let after: string | null = null; ; ) {
    const { data, errors } = await ask({ ...variables, after }, from);
    expect(errors).toBeUndefined();
    const report: Report = data.merchant.balanceReport;
    if (report.search.complete) return report;
    expect([report.opening, report.closing, report.basis]).toEqual([null, null, null]);
    expect(report.endCursor).not.toBe(after);
    after = report.endCursor;
  }
}

interface Case {
  readonly from: number;
  readonly to: number;
  readonly timeZone: string;
  readonly isReported: boolean;
  readonly hidden: string | undefined;
}

const dayOf = (hours: number, timeZone: string) =>
  new Date(START + hours * HOUR).toLocaleDateString('sv-SE', { timeZone });

function rowsOf(lines: readonly Line[]) {
  return KINDS.flatMap((kind) => {
    const same = lines.filter((line) => line.kind === kind);
    const fees = same.reduce((sum, { fee }) => sum + fee, 0);
    const row = {
      kind,
      count: same.length,
      net: { minorUnits: sumOf(same) },
      fees: { minorUnits: fees },
    };
    return same.length === 0 ? [] : [row];
  });
}

/** The report of the model, for the basis that the gateway chose. */
function expectedOf(
  all: readonly Line[],
  wanted: Case,
  basis: string | null,
): Omit<Report, 'search' | 'endCursor'> {
  const { from, to, timeZone, isReported, hidden } = wanted;
  const lines = all.filter(({ id }) => id !== hidden);
  const inside = lines.filter(({ hours }) => hours >= from && hours < to);
  const newer = lines.filter(({ hours }) => hours >= to);
  const older = lines.filter(({ hours }) => hours < from);
  const derived = sumOf(all) - sumOf(newer) - sumOf(inside);
  const opening = basis === 'DERIVED' ? derived : sumOf(older);
  const discrepancy = isReported && basis === 'SUMMED' ? sumOf(all) - sumOf(lines) : 0;
  let balance = opening;
  const dates = [...new Set(inside.map(({ hours }) => dayOf(hours, timeZone)))].sort();
  const days = dates.map((date) => {
    const same = inside.filter(({ hours }) => dayOf(hours, timeZone) === date);
    const before = balance;
    balance += sumOf(same);
    const ends = { opening: { minorUnits: before }, closing: { minorUnits: balance } };
    return { date, ...ends, kinds: rowsOf(same) };
  });
  return {
    ...{ basis, opening: { minorUnits: opening }, closing: { minorUnits: balance } },
    discrepancy: discrepancy === 0 ? null : { minorUnits: discrepancy },
    ...{ kinds: rowsOf(inside), days },
  };
}

const cases = fc.record({
  lines: fc
    .array(
      fc.record({
        gap: fc.constantFrom(0, 1, 5, 24),
        kind: fc.constantFrom(...KINDS),
        change: fc.integer({ min: -1000, max: 1000 }),
        fee: fc.integer({ min: -5, max: 20 }),
      }),
      { maxLength: 40, size: 'max' },
    )
    .map((drawn) => {
      let hours = 0;
      const oldestFirst = drawn.map(({ gap, ...line }, index) => {
        hours += gap;
        return { id: `l${index}`, hours, ...line };
      });
      return oldestFirst.reverse();
    }),
  period: fc.tuple(fc.integer({ min: -10, max: 250 }), fc.integer({ min: -10, max: 250 })),
  timeZone: fc.constantFrom(
    ...['UTC', 'Europe/Copenhagen', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'],
  ),
  isReported: fc.boolean(),
  hidden: fc.option(fc.integer({ min: 0, max: 39 }), { nil: undefined }),
  arriving: fc.nat(4),
  arrivesAfter: fc.nat(9),
  isCopied: fc.nat(5).map((value) => value === 0),
});

test(`${RUNS} random reports equal the model, with lines that arrive meanwhile`, async () => {
  let discrepancies = 0;
  const bases = new Set<string | null>();
  const sources = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      cases,
      async ({ lines, period, hidden: index, arriving, arrivesAfter, isCopied, ...rest }) => {
        const [from = 0, to = 0] = [...period].sort((a, b) => a - b);
        const hidden = index === undefined ? undefined : `l${index}`;
        const wanted: Case = { ...rest, from, to, hidden };
        const before = lines.slice(Math.min(arriving, lines.length));
        service.show(ledger(before, wanted));
        if (isCopied) await replica.startOver('m1');
        service.showAfter(arrivesAfter, ledger(lines, wanted));
        const { timeZone } = wanted;
        const asked = { from: iso(from), to: iso(to), timeZone };
        const report = await complete(asked, isCopied ? copied : gateway);
        sources.add(report.search.source);
        const { search: _search, endCursor: _cursor, ...found } = report;
        // All of it is as of one time: before the lines arrived, or after.
        const possible = [before, lines].map((known) => expectedOf(known, wanted, found.basis));
        expect(found.basis).not.toBeNull();
        expect(possible).toContainEqual(found);
        if (found.discrepancy !== null) discrepancies++;
        bases.add(found.basis);
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect(discrepancies).toBeGreaterThan(0);
  expect([...bases].sort()).toEqual(['DERIVED', 'SUMMED']);
  expect([...sources].sort()).toEqual(['REPLICA', 'SCAN']);
});

const four: Line[] = [4, 3, 2, 1].map((hours) => ({
  ...{ id: `l${hours}`, hours, kind: 'CAPTURE', change: 100 * hours, fee: 1 },
}));
const whole = { from: iso(0), to: iso(9), timeZone: 'UTC' };
const plain: Case = { from: 0, to: 9, timeZone: 'UTC', isReported: true, hidden: undefined };

test('a line that cannot be read makes the balances unknown, also if a later part reads the rest', async () => {
  const shown = ledger(four, plain);
  const [first, second, ...others] = shown.lines as [Wire, Wire, ...Wire[]];
  for (const lines of [
    [{ ...first, balance: 'x' }, second, ...others],
    [first, { ...second, created: 'then' }, ...others],
  ]) {
    service.show({ ...shown, lines });
    const report = await complete(whole);
    expect(report).toMatchObject({ opening: null, closing: null, basis: null, discrepancy: null });
    expect(report.kinds).toMatchObject([{ count: 3 }]);
  }
});

test('a merchant without lines has a balance of 0, or a discrepancy', async () => {
  service.show(ledger([], plain));
  const zero = { opening: { minorUnits: 0 }, closing: { minorUnits: 0 }, basis: 'SUMMED' };
  expect(await complete(whole)).toMatchObject({
    ...zero,
    discrepancy: null,
    days: [],
    endCursor: null,
  });
  const merchant = { id: 'm1', currency: 'DKK', balance: 7 };
  service.show({ merchant, transactions: [], lines: [], disputes: [] });
  expect(await complete(whole)).toMatchObject({ ...zero, discrepancy: { minorUnits: 7 } });
});

test('a cursor continues only the report that it comes from', async () => {
  service.show(ledger(four, plain));
  const { endCursor } = await complete(whole);
  const message = async (variables: object) => (await ask(variables)).errors?.[0]?.message;
  const other = '`after` is a cursor of another report.';
  expect(await message({ ...whole, timeZone: 'Asia/Tokyo', after: endCursor })).toContain(other);
  expect(await message({ ...whole, to: iso(8), after: endCursor })).toContain(other);
  for (const after of ['x', `${endCursor}x`.slice(3), 'S0lXSgUA']) {
    expect(await message({ ...whole, after })).toContain('`after` is not a cursor.');
  }
  expect(await message({ ...whole, from: iso(10) })).toBe('`from` must not be after `to`.');
});

test('a report makes the least calls: three for the balance, and the pages of its period', async () => {
  const lines = Array.from({ length: 60 }, (_, index) => ({
    ...{ id: `l${59 - index}`, hours: 59 - index, kind: 'CAPTURE' as const, change: 1, fee: 0 },
  }));
  service.show(ledger(lines, plain));
  service.requests.length = 0;
  const { search } = await complete({ from: iso(57), to: iso(60), timeZone: 'UTC' });
  expect(search).toMatchObject({ complete: true, examined: 9 });
  expect(service.requests).toEqual([
    '/merchants/m1',
    '/merchants/m1/lines?limit=1',
    '/merchants/m1',
    '/merchants/m1/lines?limit=1',
    '/merchants/m1/lines?limit=4&before=l59',
    '/merchants/m1/lines?limit=4&before=l55',
  ]);
});

test('a list whose newest element is not a line is an error, and not an empty list', async () => {
  const shown = ledger(four, plain);
  service.show({ ...shown, lines: [null as never, ...shown.lines] });
  const { errors } = await ask(whole);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

test('many reports of one request share the budget, and none of them claims to be complete', async () => {
  service.show(ledger([...four, ...four.map((line) => ({ ...line, id: `${line.id}b` }))], plain));
  service.requests.length = 0;
  const reports = Array.from(
    { length: 10 },
    (_, index) =>
      `r${index}: balanceReport(from: "${iso(0)}", to: "${iso(index + 1)}", timeZone: "UTC") { opening { minorUnits } search { complete } endCursor }`,
  );
  const { data } = await gateway.ask(
    `{ merchant(id: "m1") { ${reports.join(' ')} } }`,
    {},
    'any-key',
  );
  const found: Report[] = Object.values(data.merchant);
  expect(found.map(({ search }) => search.complete)).not.toContain(true);
  expect(found.filter(({ endCursor }) => endCursor !== null)).toHaveLength(2);
  // The merchant, and three calls for each of the two reports that began.
  expect(service.requests).toHaveLength(7);
});
