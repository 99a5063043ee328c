import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, fieldsOf, newApp, openShop, type Shop } from './shop.ts';

const UNKNOWN_ID = 'ffffffffffffffffffffffff';
const NOW = Date.UTC(2030, 0, 1);
/** Every card of the demo data expires at the end of August 2066. */
const AFTER_EXPIRY = Date.UTC(2066, 8, 1);

let time = NOW;
let sandbox: Sandbox;
let shop: Shop;
let other: Shop;

beforeAll(async () => {
  sandbox = await startTestSandbox({ environment: { clock: () => new Date(time) } });
  shop = await openShop(sandbox);
  other = await openShop(sandbox, 'DKK');
});
afterAll(() => sandbox.close());

const post = (input: object, { id }: Shop = shop) =>
  shop.payments.post(`/merchants/${id}/cards`, input);

async function save(at: Shop = shop, input: object = {}): Promise<string> {
  return (await post({ transactionId: at.source, ...input }, at)).body.card.id;
}

function pay(input: object) {
  const payment = { currency: 'EUR', amount: 100, ...input };
  return shop.payments.post(`/merchants/${shop.id}/transactions`, payment);
}

async function fetchTransaction(id: string): Promise<AnyRecord> {
  return (await shop.payments.get(`/transactions/${id}`)).body.transaction;
}

async function failedTransaction(): Promise<string> {
  const path = `/merchants/${shop.id}/transactions?limit=1&filter[successful]=no`;
  return (await shop.payments.get(path)).body[0].id;
}

describe('saving a card', () => {
  test('returns the id of a complete record', async () => {
    const saved = await post({ transactionId: shop.source, notes: 'Anna’s card' });
    const { id } = saved.body.card;
    expect([saved.status, saved.text]).toEqual([201, JSON.stringify({ card: { id } })]);
    const source = await fetchTransaction(shop.source);
    const shown = await shop.payments.get(`/cards/${id}`);
    expect(shown.status).toBe(200);
    expect(shown.text).toBe(
      JSON.stringify({
        card: {
          id,
          merchantId: shop.id,
          created: '2030-01-01T00:00:00.000Z',
          bin: source.card.bin,
          last4: source.card.last4,
          scheme: source.card.scheme,
          expiry: source.card.expiry,
          notes: 'Anna’s card',
          deleted: null,
        },
      }),
    );
  });

  test('accepts notes of up to 1000 characters, or no notes', async () => {
    const notesOf = async (input: object) =>
      (await shop.payments.get(`/cards/${await save(shop, input)}`)).body.card.notes;
    expect(await notesOf({})).toBeNull();
    expect(await notesOf({ notes: null })).toBeNull();
    expect(await notesOf({ notes: '😀'.repeat(1000) })).toBe('😀'.repeat(1000));
    for (const notes of ['a'.repeat(1001), 7]) {
      const { status, body } = await post({ transactionId: shop.source, notes });
      expect([status, fieldsOf(body)]).toEqual([400, ['notes']]);
    }
  });

  test('fails with the same message for an unknown, a failed and another merchant’s source', async () => {
    const sources = [UNKNOWN_ID, 'nonsense', other.source, await failedTransaction()];
    const responses = [];
    for (const transactionId of sources) responses.push(await post({ transactionId }));
    expect(responses.map(({ status, text }) => `${status} ${text}`)).toEqual(
      Array(4).fill(`400 ${responses[0]?.text}`),
    );
    expect(fieldsOf(responses[0]?.body)).toEqual(['transactionId']);
    for (const input of [{}, { transactionId: null }, { transactionId: '' }]) {
      const { status, body } = await post(input);
      expect([status, fieldsOf(body)]).toEqual([400, ['transactionId']]);
    }
  });

  test('and reading a card require an app of the merchant', async () => {
    const id = await save();
    const stranger = await newApp(sandbox);
    const source = { transactionId: shop.source };
    for (const [caller, merchant, card, expected] of [
      [rest(sandbox.paymentsUrl), shop.id, id, 401],
      [stranger, shop.id, id, 403],
      [shop.payments, UNKNOWN_ID, UNKNOWN_ID, 404],
      [shop.payments, 'nonsense', shop.source, 404],
    ] as const) {
      expect((await caller.post(`/merchants/${merchant}/cards`, source)).status).toBe(expected);
      expect((await caller.get(`/cards/${card}`)).status).toBe(expected);
    }
  });
});

describe('a payment from a saved card', () => {
  test('has the same result as one from the transaction of the card', async () => {
    const cardId = await save();
    const { status, text, body } = await pay({ cardId, amount: 1234, custom: { order: 7 } });
    const { id } = body.transaction;
    expect([status, text]).toEqual([201, JSON.stringify({ transaction: { id } })]);
    const source = await fetchTransaction(shop.source);
    expect(await fetchTransaction(id)).toMatchObject({
      amount: 1234,
      pendingAmount: 1234,
      card: { ...source.card, code: { present: false } },
      custom: { order: 7 },
      tds: 'none',
      recurring: true,
      successful: true,
    });
  });

  test('fails if the card fails, and stores the failed transaction', async () => {
    const cardId = await save(await openShop(sandbox, 'EUR', '0120'));
    const { status, body } = await pay({ cardId });
    expect([status, body.code]).toEqual([400, 7]);
    expect(await fetchTransaction(body.response.transaction.id)).toMatchObject({
      card: { last4: '0120' },
      successful: false,
      error: { code: 7 },
    });
  });

  test('is disputed if the card causes disputes, and has no 3-D Secure', async () => {
    const disputing = await pay({ cardId: await save(await openShop(sandbox, 'EUR', '0100')) });
    const { id } = disputing.body.transaction;
    expect((await shop.move('captures', id, { amount: 40 })).disputedAmount).toBe(40);
    const secure = await pay({ cardId: await save(await openShop(sandbox, 'EUR', '0130')) });
    expect((await fetchTransaction(secure.body.transaction.id)).tds).toBe('none');
  });

  test('fails with processing error 6 after the card has expired', async () => {
    const cardId = await save();
    time = AFTER_EXPIRY - 1;
    const before = await pay({ cardId });
    time = AFTER_EXPIRY;
    const after = await pay({ cardId });
    time = NOW;
    expect([before.status, after.status, after.body.code]).toEqual([201, 400, 6]);
  });

  test('fails with the same message for an unknown card and another merchant’s card', async () => {
    const responses = [];
    for (const cardId of [UNKNOWN_ID, 'nonsense', shop.source, await save(other)]) {
      responses.push(await pay({ cardId }));
    }
    expect(responses.map(({ status, text }) => `${status} ${text}`)).toEqual(
      Array(4).fill(`400 ${responses[0]?.text}`),
    );
    expect(fieldsOf(responses[0]?.body)).toEqual(['cardId']);
  });

  test.each([false, '', null])('treats the cardId %j as missing', async (cardId) => {
    expect((await pay({ cardId, transactionId: shop.source })).status).toBe(201);
    expect((await pay({ cardId, authorizationId: shop.source })).status).toBe(201);
    const { status, body } = await pay({ cardId });
    expect([status, fieldsOf(body)]).toEqual([400, ['transactionId']]);
  });

  test('fails with 400 if it names a transaction and a card', async () => {
    const cardId = await save();
    for (const name of ['transactionId', 'authorizationId']) {
      const { status, body } = await pay({ cardId, [name]: shop.source });
      expect([status, fieldsOf(body)]).toEqual([400, [name]]);
    }
  });

  test.each([true, 7, [], {}])('fails with 400 for the cardId %j', async (cardId) => {
    const { status, body } = await pay({ cardId, transactionId: shop.source });
    expect([status, fieldsOf(body)]).toEqual([400, ['cardId']]);
  });
});
