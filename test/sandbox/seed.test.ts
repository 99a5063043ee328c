import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { emptyStorage } from '../support/storage.ts';
import { ledgerFaults } from './ledger.ts';
import { type AnyRecord, demoApp, openShop } from './shop.ts';

const currencies = ['EUR', 'DKK', 'USD'] as const;

let sandbox: Sandbox;
/** The records of each demo merchant, by funding currency. */
const records: Record<string, Awaited<ReturnType<typeof ledgerFaults>>> = {};

beforeAll(async () => {
  sandbox = await startTestSandbox(await emptyStorage());
  for (const currency of currencies) {
    records[currency] = await ledgerFaults(await openShop(sandbox, currency));
  }
});
afterAll(() => sandbox.close());

function transactionsOf(currency: string): AnyRecord[] {
  return records[currency]?.transactions ?? [];
}

test('the demo app has three test merchants, in EUR, DKK and USD', async () => {
  const { id } = sandbox.demoApp;
  const { body } = await demoApp(sandbox).get(`/identities/${id}/merchants?limit=1000`);
  expect(
    body.map(({ name, currency, test }: AnyRecord) => ({ name, currency, test })).reverse(),
  ).toEqual([
    { name: 'Nordlys Kaffee', currency: 'EUR', test: true },
    { name: 'Havnens Bageri', currency: 'DKK', test: true },
    { name: 'Harbour Cycles', currency: 'USD', test: true },
  ]);
});

test('there are 25 complete user records', async () => {
  const { body } = await rest(sandbox.usersUrl).get('/users');
  expect(body).toHaveLength(25);
  expect(new Set(body.map(({ id }: AnyRecord) => id)).size).toBe(25);
  for (const user of body) {
    expect(user).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: expect.stringMatching(/./),
      email: expect.stringMatching(/^[^@\s]+@[^@\s]+\.example$/),
      address: expect.any(String),
    });
  }
});

describe.each(currencies)('the merchant in %s', (currency) => {
  test('has a third of the 120 transactions', () => {
    expect(transactionsOf(currency)).toHaveLength(40);
  });

  test('has a consistent ledger', () => {
    expect(records[currency]?.faults).toEqual([]);
    expect(records[currency]?.lines.length).toBeGreaterThan(40);
  });

  test.each<[string, (transaction: AnyRecord) => boolean]>([
    ['that is pending', (t) => t.successful && t.pendingAmount === t.amount],
    ['that is captured in part', (t) => t.capturedAmount > 0 && t.pendingAmount > 0],
    [
      'that is captured in one step',
      (t) => t.capturedAmount === t.amount && kinds(t) === 'capture',
    ],
    ['that is captured in two steps', (t) => kinds(t) === 'capture capture'],
    ['that is voided', (t) => t.voidedAmount === t.amount],
    ['that is voided in part', (t) => kinds(t) === 'void' && t.pendingAmount > 0],
    ['that is captured and voided', (t) => kinds(t) === 'capture void' && t.pendingAmount === 0],
    [
      'that is refunded in part',
      (t) => t.refundedAmount > 0 && t.refundedAmount < t.capturedAmount,
    ],
    ['that is refunded in two steps', (t) => kinds(t) === 'capture refund refund'],
    ['that is refunded, with the rest voided', (t) => kinds(t) === 'capture refund void'],
    ['that is refunded, with the rest pending', (t) => t.refundedAmount > 0 && t.pendingAmount > 0],
    [
      'with refunded, voided and pending amounts',
      (t) => t.refundedAmount && t.voidedAmount && t.pendingAmount,
    ],
    ['that failed', (t) => !t.successful && t.error.code === 7],
    ['with an open dispute', (t) => t.disputedAmount > 0 && kinds(t) === 'capture'],
    ['with a won dispute', (t) => t.trail.some((entry: AnyRecord) => entry.dispute?.won)],
    ['with a lost dispute', (t) => t.trail.some((entry: AnyRecord) => entry.dispute?.lost)],
    ['of the merchant’s server', (t) => t.recurring && !t.card.code.present && t.successful],
    ['of the payment page', (t) => !t.recurring && t.card.code.present && t.successful],
    ['with full 3-D Secure', (t) => t.tds === 'full'],
    ['with attempted 3-D Secure', (t) => t.tds === 'attempt'],
    ['in a currency without decimals', (t) => t.currency === 'JPY' && t.capturedAmount > 0],
    ['in a currency with three decimals', (t) => t.currency === 'KWD' && t.capturedAmount > 0],
    ['on a Visa card', (t) => t.card.scheme === 'visa'],
    ['on a Mastercard', (t) => t.card.scheme === 'mastercard'],
  ])('has a transaction %s', (_, matches) => {
    expect(transactionsOf(currency).filter(matches)).not.toEqual([]);
  });
});

test('ids increase with the dates across all merchants', () => {
  const all = currencies.flatMap(transactionsOf);
  const byId = all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const dates = byId.map(({ created }) => created);
  expect(dates).toEqual(dates.toSorted());
  expect(new Set(all.map(({ id }) => id)).size).toBe(120);
});

test('two new sandboxes differ only in the key of the demo app', async () => {
  const other = await startTestSandbox(await emptyStorage());
  try {
    expect(other.demoApp.id).toBe(sandbox.demoApp.id);
    expect(other.demoApp.key).not.toBe(sandbox.demoApp.key);
    expect(await allRecords(other)).toEqual(await allRecords(sandbox));
  } finally {
    await other.close();
  }
});

/** The responses with all demo records, as text. */
async function allRecords(of: Sandbox): Promise<string[]> {
  const payments = demoApp(of);
  const merchants = `/identities/${of.demoApp.id}/merchants?limit=1000`;
  const paths = ['/me', merchants];
  for (const { id } of (await payments.get(merchants)).body) {
    for (const list of ['transactions', 'lines']) paths.push(`/merchants/${id}/${list}?limit=1000`);
  }
  const responses = [await rest(of.usersUrl).get('/users')];
  for (const path of paths) responses.push(await payments.get(path));
  return responses.map(({ text }) => text);
}

/** The kinds of a transaction's trail entries, in order. */
function kinds({ trail }: AnyRecord): string {
  return trail
    .map((entry: AnyRecord) =>
      ['capture', 'refund', 'void', 'dispute'].find((kind) => entry[kind] !== undefined),
    )
    .join(' ');
}
