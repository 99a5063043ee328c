import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { schema } from '../../src/gateway/schema.ts';
import { comparableErrors } from '../support/comparable.ts';
import { type LedgerService, startLedgerService, type Wire } from './search/ledger-service.ts';
import { HOUR, plain, START, toWire } from './search/payment-model.ts';
import { createEngines, type Engines } from './support/engines.ts';
import { randomDocuments } from './support/random-documents.ts';

/** 100,000 in the long tests. */
const DOCUMENTS = inject('scale') === 1 ? 200 : 10_000 * inject('scale');
const ENGINES = 8;
/** In the long tests, an hour is too little on a slow machine. */
const TIMEOUT_MS = inject('scale') === 1 ? undefined : 3 * 3_600_000;

let service: LedgerService;
beforeAll(async () => {
  service = await startLedgerService();
});
afterAll(() => service?.close());

const merchant: Wire = { id: 'm1', name: 'A', currency: 'EUR', balance: 5, test: true };
const FAILING = 'failing';
const FORBIDDEN = 'forbidden';

/** Lists that need more calls than a request may make, with records that lack fields. */
function showLists(): void {
  const transactions = Array.from({ length: 40 }, (_, at) =>
    toWire({ ...plain, id: `t${99 - at}`, created: START - at * HOUR }, merchant.id),
  );
  const of = (name: string) =>
    transactions.map((_, at) => ({
      ...{ id: `${name}${99 - at}`, merchant: 'm1', currency: 'EUR', gross: at, fee: 0, net: at },
      ...{ transaction: transactions[at]?.id, type: 'payout', created: (START - at) / 1_000 },
    }));
  service.show({
    ...{ merchant, transactions, lines: of('l'), disputes: of('d') },
    ...{ failing: FAILING, forbidden: FORBIDDEN, omitted: ['pending', 'custom'] },
  });
}

/** Fields that use up what a request has, and fields that fail. */
const greedy = [
  'transactions(filter: { text: "nothing" }) { search { examined complete } pageInfo { endCursor } }',
  'transactions(filter: { state: [CAPTURED] }, first: 3) { edges { node { id } } search { examined } }',
  'transactionTotals { groups { count currency } search { examined complete } }',
  'lines(filter: { kind: [PAYOUT] }) { edges { node { id transaction { id } } } search { examined } }',
  'disputes(filter: { status: [WON] }) { edges { node { id } } search { examined skipped } }',
  'transactions(first: 30) { edges { node { id merchant { name } } } pageInfo { hasNextPage } }',
  'balanceReport(from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z", timeZone: "UTC") { rows { kind } search { examined } }',
];
const failing = [
  `transaction(id: "${FAILING}") { id }`,
  `merchant(id: "${FORBIDDEN}") { name }`,
  'transaction(id: "mer_m1") { id }',
  'nodes(ids: ["x", "mer_m1"]) { id }',
  'merchants(first: 999) { edges { cursor } }',
  'viewer { name }',
];

/** Queries of several searches, beside others that fail. */
function documents() {
  const random = randomDocuments(['m1', 'mer_m1', FAILING, FORBIDDEN, 'l99', 'd98']);
  const selection = (text: string) => text.slice(text.indexOf('{') + 1, text.lastIndexOf('}'));
  const ofMerchant = random.of(schema.getType('Merchant') as never).map(selection);
  const ofQuery = random.of(schema.getQueryType()).map(selection);
  const inMerchant = fc.array(fc.oneof(fc.constantFrom(...greedy), ofMerchant), {
    ...{ minLength: 1, maxLength: 3 },
  });
  const beside = fc.array(fc.oneof(fc.constantFrom(...failing), ofQuery), { maxLength: 2 });
  const named = (prefix: string, fields: readonly string[]) =>
    fields
      .map((field, at) => `${/^\s*\w+:/.test(field) ? '' : `${prefix}${at}: `}${field}`)
      .join(' ');
  return fc
    .tuple(inMerchant, inMerchant, beside)
    .map(
      ([one, other, fields]) =>
        `{ one: merchant(id: "m1") { ${named('f', one)} } other: merchant(id: "m1") { ${named('f', other)} } ${named('r', fields)} }`,
    );
}

/** The response, with errors in any order. Returns the calls as well: both must make the same. */
async function ask(respond: () => Promise<string>): Promise<unknown> {
  service.requests.length = 0;
  const { errors, data } = JSON.parse(await respond());
  return { errors: comparableErrors(data, errors), data, calls: service.requests.toSorted() };
}

test(
  `${DOCUMENTS} documents have the same response and the same calls from both engines, whatever a request may use`,
  async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: START });
    onTestFinished(() => void vi.useRealTimers());
    showLists();
    const limits = fc.record({
      maxCalls: fc.integer({ min: 1, max: 8 }),
      maxSearchCalls: fc.integer({ min: 1, max: 3 }),
      pageMax: fc.integer({ min: 2, max: 20 }),
    });
    const { url } = service;
    let [compared, failed, limited] = [0, 0, 0];
    for (const each of fc.sample(limits, ENGINES)) {
      const services = { usersUrl: url, paymentsUrl: url, posUrl: url, key: 'any-key' };
      const engines: Engines = createEngines(services, undefined, each);
      const accepted = documents().filter((query) => engines.accepts({ query }));
      for (const query of fc.sample(accepted, Math.ceil(DOCUMENTS / ENGINES))) {
        // What a service has refused is remembered for some seconds.
        await engines.interpret({ query });
        const expected = await ask(() => engines.interpret({ query }));
        for (let use = 0; use < 2; use++) engines.hasPlan({ query });
        if (!engines.hasPlan({ query })) continue;
        const found = await ask(() => engines.compile({ query }));
        expect(found, JSON.stringify({ query, each })).toEqual(expected);
        compared++;
        const text = JSON.stringify(expected);
        if (text.includes('"path')) failed++;
        if (text.includes('UPSTREAM_CALL_LIMIT')) limited++;
      }
      await engines.close();
      expect(engines.bugs).toEqual([]);
    }
    expect(compared).toBeGreaterThan(DOCUMENTS / 2);
    expect(failed).toBeGreaterThan(DOCUMENTS / 4);
    expect(limited).toBeGreaterThan(DOCUMENTS / 20);
  },
  TIMEOUT_MS,
);
