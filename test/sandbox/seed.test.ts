import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { emptyStorage } from '../support/storage.ts';
import { ledgerFaults } from './ledger.ts';
import { type AnyRecord, demoApp, openShop } from './shop.ts';

const currencies = ['EUR', 'DKK', 'USD'] as const;

let sandbox: Sandbox;
/** What each demo merchant has, by its funding currency. */
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

test('there are 25 users with whole records', async () => {
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

  test('keeps a ledger in which everything adds up', () => {
    expect(records[currency]?.faults).toEqual([]);
    expect(records[currency]?.lines.length).toBeGreaterThan(40);
  });

  test.each<[string, (transaction: AnyRecord) => boolean]>([
    ['wholly pending', (t) => t.successful && t.pendingAmount === t.amount],
    ['captured in part', (t) => t.capturedAmount > 0 && t.pendingAmount > 0],
    ['captured at once', (t) => t.capturedAmount === t.amount && kinds(t) === 'capture'],
    ['captured in two steps', (t) => kinds(t) === 'capture capture'],
    ['voided', (t) => t.voidedAmount === t.amount],
    ['voided in part', (t) => kinds(t) === 'void' && t.pendingAmount > 0],
    ['captured and voided', (t) => kinds(t) === 'capture void' && t.pendingAmount === 0],
    ['refunded in part', (t) => t.refundedAmount > 0 && t.refundedAmount < t.capturedAmount],
    ['refunded in two steps', (t) => kinds(t) === 'capture refund refund'],
    ['refunded with the rest voided', (t) => kinds(t) === 'capture refund void'],
    ['refunded with some still pending', (t) => t.refundedAmount > 0 && t.pendingAmount > 0],
    ['everything at once', (t) => t.refundedAmount && t.voidedAmount && t.pendingAmount],
    ['failed', (t) => !t.successful && t.error.code === 7],
    ['in dispute', (t) => t.disputedAmount > 0 && kinds(t) === 'capture'],
    ['in dispute and won', (t) => t.trail.some((entry: AnyRecord) => entry.dispute?.won)],
    ['in dispute and lost', (t) => t.trail.some((entry: AnyRecord) => entry.dispute?.lost)],
    ['made by the server', (t) => t.recurring && !t.card.code.present && t.successful],
    ['made on the page', (t) => !t.recurring && t.card.code.present && t.successful],
    ['with 3-D Secure', (t) => t.tds === 'full'],
    ['with 3-D Secure attempted', (t) => t.tds === 'attempt'],
    ['without decimals', (t) => t.currency === 'JPY' && t.capturedAmount > 0],
    ['with three decimals', (t) => t.currency === 'KWD' && t.capturedAmount > 0],
    ['on a Visa card', (t) => t.card.scheme === 'visa'],
    ['on a Mastercard', (t) => t.card.scheme === 'mastercard'],
  ])('has a transaction %s', (_, is) => {
    expect(transactionsOf(currency).filter(is)).not.toEqual([]);
  });
});

test('ids increase in the order of dates, over all merchants', () => {
  const all = currencies.flatMap(transactionsOf);
  const byId = all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const dates = byId.map(({ created }) => created);
  expect(dates).toEqual(dates.toSorted());
  expect(new Set(all.map(({ id }) => id)).size).toBe(120);
});

test('two fresh sandboxes differ in nothing but the key of the demo app', async () => {
  const other = await startTestSandbox(await emptyStorage());
  try {
    expect(other.demoApp.id).toBe(sandbox.demoApp.id);
    expect(other.demoApp.key).not.toBe(sandbox.demoApp.key);
    expect(await everything(other)).toEqual(await everything(sandbox));
  } finally {
    await other.close();
  }
});

/** Every answer that shows demo records, as text. */
async function everything(of: Sandbox): Promise<string[]> {
  const payments = demoApp(of);
  const merchants = `/identities/${of.demoApp.id}/merchants?limit=1000`;
  const paths = ['/me', merchants];
  for (const { id } of (await payments.get(merchants)).body) {
    for (const list of ['transactions', 'lines']) paths.push(`/merchants/${id}/${list}?limit=1000`);
  }
  const answers = [await rest(of.usersUrl).get('/users')];
  for (const path of paths) answers.push(await payments.get(path));
  return answers.map(({ text }) => text);
}

/** The kinds of a transaction's trail, in its order. */
function kinds({ trail }: AnyRecord): string {
  return trail
    .map((entry: AnyRecord) =>
      ['capture', 'refund', 'void', 'dispute'].find((kind) => entry[kind] !== undefined),
    )
    .join(' ');
}
