import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type LedgerService, startLedgerService, type Wire } from './ledger-service.ts';
import { type SearchGateway, startSearchGateway } from './start-search-gateway.ts';

const RUNS = 150 * inject('scale');
const HOUR = 3_600_000;
const START = Date.UTC(2026, 9, 24);
const merchant: Wire = { id: 'm1', currency: 'DKK', test: true };
const iso = (hours: number) => new Date(START + hours * HOUR).toISOString();

let service: LedgerService;
let gateway: SearchGateway;
beforeAll(async () => {
  service = await startLedgerService();
  gateway = await startSearchGateway(service, { maxSearchCalls: 3, pageMax: 4 });
});
afterAll(async () => {
  expect(gateway?.bugs).toEqual([]);
  await gateway?.close();
  await service?.close();
});

interface Page {
  readonly edges: readonly { readonly node: { readonly rawId: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly search: { readonly complete: boolean; readonly examined: number } | null;
}

/** Follows a filtered list to its end. Returns the ids. */
async function follow(list: 'lines' | 'disputes', type: string, filter: object): Promise<string[]> {
  const query = `query ($filter: ${type}, $after: String) { merchant(id: "m1") { ${list}(first: 3, filter: $filter, after: $after) {
    edges { node { rawId } } pageInfo { hasNextPage endCursor } search { complete examined } } } }`;
  const ids: string[] = [];
  for (let after: string | null = null, pages = 0; ; pages++) {
    const { data, errors } = await gateway.ask(query, { filter, after }, 'any-key');
    expect(errors).toBeUndefined();
    const page: Page = data.merchant[list];
    ids.push(...page.edges.map(({ node }) => node.rawId));
    if (!page.pageInfo.hasNextPage) return ids;
    expect(page.search?.complete ?? false).toBe(false);
    expect(pages).toBeLessThan(100);
    after = page.pageInfo.endCursor;
  }
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const time = fc.record({ from: optional(fc.nat(30)), to: optional(fc.nat(30)) });
const toRange = (range: { from: number | undefined; to: number | undefined } | undefined) =>
  range && {
    from: range.from === undefined ? undefined : iso(range.from),
    to: range.to === undefined ? undefined : iso(range.to),
  };
const isIn = (
  hours: number,
  { from = 0, to = 1e6 }: { from?: number | undefined; to?: number | undefined } = {},
) => hours >= from && hours < to;

const KINDS = ['CAPTURE', 'REFUND', 'DISPUTE', 'PAYOUT', 'OTHER'] as const;
const flags = {
  CAPTURE: { capture: true },
  REFUND: { refund: 'y' },
  DISPUTE: { dispute: true, won: true },
  PAYOUT: { payout: 1 },
  OTHER: { capture: false },
};

const lineLists = fc.record({
  lines: fc.array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      change: fc.integer({ min: -3, max: 3 }),
      owner: fc.constantFrom('t1', 't2', undefined),
    }),
    { maxLength: 30, size: 'max' },
  ),
  createdAt: optional(time),
  kind: optional(fc.subarray([...KINDS])),
  transactionId: optional(fc.constantFrom('t1', 'txn_t2')),
  balanceChange: optional(
    fc.record({
      currency: fc.constantFrom('DKK', 'DKK', 'EUR'),
      min: optional(fc.integer({ min: -3, max: 3 })),
      max: optional(fc.integer({ min: -3, max: 3 })),
    }),
  ),
});

test(`${RUNS} random filters of lines find what brute force finds`, async () => {
  await fc.assert(
    fc.asyncProperty(
      lineLists,
      async ({ lines, createdAt, kind, transactionId, balanceChange }) => {
        const model = lines.map((line, index) => ({
          ...line,
          id: `l${index}`,
          hours: lines.length - index,
        }));
        const wire = model.map(({ id, hours, change, owner, ...line }) => ({
          ...{ id, merchantId: 'm1', created: iso(hours), balance: change, transactionId: owner },
          ...flags[line.kind],
        }));
        service.show({ merchant, transactions: [], lines: wire, disputes: [] });
        const expected = model.filter(
          (line) =>
            isIn(line.hours, createdAt) &&
            (kind?.includes(line.kind) ?? true) &&
            (transactionId === undefined || line.owner === transactionId.replace('txn_', '')) &&
            (balanceChange === undefined ||
              (balanceChange.currency === 'DKK' &&
                line.change >= (balanceChange.min ?? -9) &&
                line.change <= (balanceChange.max ?? 9))),
        );
        const filter = { createdAt: toRange(createdAt), kind, transactionId, balanceChange };
        expect(await follow('lines', 'LineFilter', filter)).toEqual(expected.map(({ id }) => id));
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
});

const STATUSES = ['OPEN', 'WON', 'LOST'] as const;
const disputeLists = fc.record({
  disputes: fc.array(
    fc.record({
      status: fc.constantFrom(...STATUSES),
      due: fc.option(fc.nat(30), { nil: undefined }),
      hasEntry: fc.boolean(),
    }),
    { maxLength: 15, size: 'max' },
  ),
  createdAt: optional(time),
  dueAt: optional(time),
  status: optional(fc.subarray([...STATUSES])),
  owner: optional(fc.constantFrom('t0', 't3', 't99')),
});

test(`${RUNS} random filters of disputes find what brute force finds`, async () => {
  await fc.assert(
    fc.asyncProperty(disputeLists, async ({ disputes, createdAt, dueAt, status, owner }) => {
      const model = disputes.map((dispute, index) => ({
        ...{ id: `d${index}`, hours: disputes.length - index, transactionId: `t${index}` },
        ...dispute,
      }));
      const transactions = model.map((dispute) => ({
        id: dispute.transactionId,
        trail:
          dispute.status === 'OPEN' && !dispute.hasEntry
            ? [{ dispute: { id: 'another', won: true }, created: iso(0) }]
            : [
                {
                  created: iso(0),
                  dispute: {
                    id: dispute.id,
                    won: dispute.status === 'WON',
                    lost: dispute.status === 'LOST',
                  },
                },
              ],
      }));
      const wire = model.map(({ id, hours, transactionId, due }) => ({
        ...{ id, transactionId, merchantId: 'm1', created: iso(hours) },
        due: due === undefined ? null : iso(due),
      }));
      service.show({ merchant, transactions, lines: [], disputes: wire });
      const demandsDue = dueAt?.from !== undefined || dueAt?.to !== undefined;
      const expected = model.filter(
        (dispute) =>
          isIn(dispute.hours, createdAt) &&
          (!demandsDue || (dispute.due !== undefined && isIn(dispute.due, dueAt))) &&
          (status?.includes(dispute.status) ?? true) &&
          (owner === undefined || dispute.transactionId === owner),
      );
      const range = { createdAt: toRange(createdAt), dueAt: toRange(dueAt) };
      const filter = { ...range, status, transactionId: owner };
      expect(await follow('disputes', 'DisputeFilter', filter)).toEqual(
        expected.map(({ id }) => id),
      );
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

test('disputes of another merchant, which the service lists nevertheless, do not appear', async () => {
  const disputes = ['m2', 'm1'].map((merchantId, index) => ({
    ...{ id: `d${index}`, merchantId, transactionId: 't1', created: iso(5) },
  }));
  service.show({ merchant, transactions: [], lines: [], disputes });
  expect(await follow('disputes', 'DisputeFilter', { createdAt: { from: iso(1) } })).toEqual([
    'd1',
  ]);
  expect(await follow('disputes', 'DisputeFilter', {})).toEqual(['d1']);
});
