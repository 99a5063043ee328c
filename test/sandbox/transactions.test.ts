import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, fieldsOf, form, openShop, type Shop } from './shop.ts';

const NOW = Date.UTC(2030, 0, 1);
/** Every card of the demo data expires at the end of August 2066. */
const LAST_VALID_MOMENT = Date.UTC(2066, 8, 1) - 1;

let time = NOW;
let sandbox: Sandbox;
let shop: Shop;
let transactions: string;

beforeAll(async () => {
  sandbox = await startTestSandbox({ environment: { clock: () => new Date(time) } });
  shop = await openShop(sandbox);
  transactions = `/merchants/${shop.id}/transactions`;
});
beforeEach(() => {
  time = NOW;
});
afterAll(() => sandbox.close());

function create(input: object) {
  const { source: transactionId } = shop;
  return shop.payments.post(transactions, {
    transactionId,
    currency: 'EUR',
    amount: 100,
    ...input,
  });
}

async function fetch(id: string): Promise<AnyRecord> {
  return (await shop.payments.get(`/transactions/${id}`)).body.transaction;
}

async function list(query: string): Promise<AnyRecord[]> {
  return (await shop.payments.get(`${transactions}?${query}`)).body;
}

describe('a transaction from an earlier one', () => {
  test('is created with an id, and is a complete record', async () => {
    const source = await fetch(shop.source);
    const { status, text, body } = await create({ amount: 1234 });
    const { id } = body.transaction;
    expect(status).toBe(201);
    expect(text).toBe(JSON.stringify({ transaction: { id } }));
    const shown = await shop.payments.get(`/transactions/${id}`);
    expect(shown.status).toBe(200);
    expect(shown.text).toBe(
      JSON.stringify({
        transaction: {
          id,
          test: true,
          merchantId: shop.id,
          created: '2030-01-01T00:00:00.000Z',
          amount: 1234,
          refundedAmount: 0,
          capturedAmount: 0,
          voidedAmount: 0,
          pendingAmount: 1234,
          disputedAmount: 0,
          card: {
            bin: '410000',
            last4: '0000',
            expiry: '2066-08-31T23:59:59.999Z',
            code: { present: false },
            scheme: 'visa',
          },
          tds: 'none',
          currency: 'EUR',
          custom: null,
          recurring: true,
          successful: true,
          error: false,
          descriptor: 'NORDLYS KAFFEE',
          trail: [],
        },
      }),
    );
    expect(source.card.code.present).toBe(true);
    expect(source.recurring).toBe(false);
  });

  test('accepts its source as authorizationId, under both names, and with an empty cardId', async () => {
    const id = shop.source;
    for (const source of [
      { transactionId: undefined, authorizationId: id },
      { transactionId: id, authorizationId: id },
      { transactionId: id, cardId: false },
      { transactionId: '', authorizationId: id, cardId: '' },
      { transactionId: id, cardId: null },
    ]) {
      expect((await create(source)).status).toBe(201);
    }
  });

  test('accepts a form', async () => {
    const { status, body } = await shop.payments.send(
      transactions,
      form(`transactionId=${shop.source}&currency=EUR&amount=995&custom[a][b]=c`),
    );
    expect(status).toBe(201);
    const { amount, custom } = await fetch(body.transaction.id);
    expect({ amount, custom }).toEqual({ amount: 995, custom: { a: { b: 'c' } } });
  });

  test('can be the source of another one', async () => {
    const { id: transactionId } = await shop.charge(100);
    expect((await create({ transactionId })).status).toBe(201);
  });

  test('does not inherit 3-D Secure from its source', async () => {
    const secured = await openShop(sandbox, 'EUR', '0130');
    expect((await fetch(secured.source)).tds).toBe('full');
    expect((await secured.charge(100)).tds).toBe('none');
  });

  test('has its own descriptor, or the descriptor of the merchant', async () => {
    expect((await shop.charge(100, { descriptor: ' OWN ~ TEXT ' })).descriptor).toBe(
      ' OWN ~ TEXT ',
    );
    expect((await shop.charge(100, { descriptor: '' })).descriptor).toBe('NORDLYS KAFFEE');
    expect((await shop.charge(100, { descriptor: null })).descriptor).toBe('NORDLYS KAFFEE');
  });

  test.each([
    [{ order: 1, nested: { list: [1, 'two', null, { three: true }] }, text: 'ÅØ "\\' }],
    [JSON.parse('{"__proto__":{"admin":true},"constructor":"x"}')],
    [{ nothing: '\0' }],
    [{}],
  ])('keeps custom data as it was sent: %j', async (custom) => {
    const transaction = await shop.charge(100, { custom });
    expect(JSON.stringify(transaction.custom)).toBe(JSON.stringify(custom));
  });

  test('reads an empty list as empty custom data', async () => {
    expect((await shop.charge(100, { custom: [] })).custom).toEqual({});
  });

  test.each([['EUR'], ['JPY'], ['KWD'], ['ISK'], ['AED']])(
    'can have the currency %s',
    async (currency) => {
      expect((await shop.charge(100, { currency })).currency).toBe(currency);
    },
  );

  test.each([1, 999_999_999_999])('can have the amount %i', async (amount) => {
    expect((await shop.charge(amount)).pendingAmount).toBe(amount);
  });
});

describe('invalid input', () => {
  test('is reported for every missing field, in the order of the specification', async () => {
    for (const body of [undefined, {}, { cardId: false, transactionId: '' }]) {
      const response = await shop.payments.post(transactions, body);
      expect(response.status).toBe(400);
      expect(fieldsOf(response.body)).toEqual(['transactionId', 'currency', 'amount']);
    }
  });

  test.each([
    ['currency', 'eur'],
    ['currency', 'XXX'],
    ['currency', 'HRK'],
    ['currency', 978],
    ['amount', 0],
    ['amount', -1],
    ['amount', 1.5],
    ['amount', '100'],
    ['amount', 1_000_000_000_000],
    ['amount', true],
    ['descriptor', 'x'.repeat(23)],
    ['descriptor', 'CAFÉ'],
    ['custom', [1]],
    ['custom', 'text'],
    ['custom', 5],
    ['transactionId', { toString: 1 }],
    ['transactionId', '\0'],
    ['transactionId', true],
  ])('is rejected for %s: %j', async (field, value) => {
    const { status, body } = await create({ [field]: value });
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual([field]);
  });

  test.each(['transactionId[a]=1&currency=EUR&amount=1', 'transactionId=&currency=EUR&amount=1'])(
    'is rejected for the form %s',
    async (body) => {
      const response = await shop.payments.send(transactions, form(body));
      expect(response.status).toBe(400);
      expect(fieldsOf(response.body)).toEqual(['transactionId']);
    },
  );

  test('includes more than one source', async () => {
    const other = (await shop.charge(100)).id;
    for (const input of [{ authorizationId: other }, { cardId: other }]) {
      const { status, body } = await create(input);
      expect(status).toBe(400);
      expect(fieldsOf(body)).toEqual(['transactionId']);
    }
    const { body } = await create({ transactionId: '', authorizationId: other, cardId: other });
    expect(fieldsOf(body)).toEqual(['authorizationId']);
  });

  test('has the same message for an unknown, a failed and another merchant’s source', async () => {
    const [failed] = await list('limit=1&filter[successful]=no');
    const others = await openShop(sandbox, 'DKK');
    const responses = await Promise.all(
      ['ffffffffffffffffffffffff', 'nonsense', failed.id, others.source].map((transactionId) =>
        create({ transactionId }),
      ),
    );
    for (const { status, text, body } of responses) {
      expect(status).toBe(400);
      expect(fieldsOf(body)).toEqual(['transactionId']);
      expect(text).toBe(responses[0]?.text);
    }
    const { body } = await create({ transactionId: null, authorizationId: 'nonsense' });
    expect(fieldsOf(body)).toEqual(['authorizationId']);
  });

  test('creates no transaction', async () => {
    const before = await list('limit=1000');
    await create({ amount: 0 });
    await create({ transactionId: 'nonsense' });
    expect(await list('limit=1000')).toEqual(before);
  });
});

describe('a declined payment', () => {
  /** Makes a payment with an expired card. */
  async function decline() {
    time = LAST_VALID_MOMENT + 1;
    const response = await create({ descriptor: 'LATE', custom: { a: 1 } });
    return { response, id: response.body.response.transaction.id };
  }

  test('does not occur in the last valid millisecond of a card', async () => {
    time = LAST_VALID_MOMENT;
    expect((await create({})).status).toBe(201);
  });

  test('is reported with the published error and the id of the failed transaction', async () => {
    const { response, id } = await decline();
    expect(response.status).toBe(400);
    expect(response.text).toBe(
      `{"code":6,"message":"Card expired","client":true,"merchant":false,"response":{"transaction":{"id":"${id}"}}}`,
    );
  });

  test('is stored and listed, with nothing reserved', async () => {
    const { id } = await decline();
    const failed = await fetch(id);
    expect(failed).toMatchObject({
      amount: 100,
      pendingAmount: 0,
      capturedAmount: 0,
      refundedAmount: 0,
      voidedAmount: 0,
      disputedAmount: 0,
      custom: { a: 1 },
      recurring: true,
      successful: false,
      error: { code: 6, message: 'Card expired', client: true, merchant: false },
      descriptor: 'LATE',
      trail: [],
    });
    expect(await list('limit=1&filter[successful]=no')).toEqual([failed]);
  });

  test('can follow a successful first payment with the same card', async () => {
    const { source: transactionId } = await openShop(sandbox, 'EUR', '0120');
    expect((await fetch(transactionId)).successful).toBe(true);
    const { status, body } = await create({ transactionId });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 7, message: 'Insufficient funds' });
    expect((await fetch(body.response.transaction.id)).error.code).toBe(7);
  });
});

describe('listing transactions', () => {
  test('returns complete records, newest first', async () => {
    const made = [await shop.charge(1), await shop.charge(2), await shop.charge(3)];
    expect(await list('limit=3')).toEqual(made.reverse());
  });

  test('can be filtered by success', async () => {
    const created = await shop.charge(1);
    const [successes, failures] = [
      await list('limit=1000&filter[successful]=yes'),
      await list('limit=1000&filter[successful]=0'),
    ];
    expect(successes[0]).toEqual(created);
    expect(new Set(successes.map(({ successful }) => successful))).toEqual(new Set([true]));
    expect(new Set(failures.map(({ successful }) => successful))).toEqual(new Set([false]));
    const all = await list('limit=1000');
    expect(successes.length + failures.length).toBe(all.length);
  });

  test('can be filtered by test mode', async () => {
    const created = await shop.charge(1);
    expect(await list('limit=1&filter[test]=y')).toEqual([created]);
    expect(await list('limit=1&filter[test]=n')).toEqual([]);
  });
});
