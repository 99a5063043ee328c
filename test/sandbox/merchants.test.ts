import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, fieldsOf, form, newApp, openShop, smallestMerchant } from './shop.ts';

const complete = {
  name: 'Whole Shop',
  currency: 'DKK',
  test: true,
  email: 'whole@example.com',
  website: 'example.com/shop',
  descriptor: 'WHOLE SHOP',
  company: { country: 'DK', number: '38211502' },
  bank: { iban: 'GB33BUKB20201555555555' },
};

let sandbox: Sandbox;
let app: Awaited<ReturnType<typeof newApp>>;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  app = await newApp(sandbox);
});
afterAll(() => sandbox.close());

async function newMerchant(input: object = smallestMerchant): Promise<AnyRecord> {
  return (await app.post('/merchants', input)).body.merchant;
}

/** Sets a nested field by its dotted path. */
function withField(input: object, path: string, value: unknown): object {
  const [first = '', second] = path.split('.');
  const inner = (input as AnyRecord)[first];
  return { ...input, [first]: second === undefined ? value : { ...inner, [second]: value } };
}

describe('creating a merchant', () => {
  test('returns the complete merchant, as GET returns it', async () => {
    const { status, text, body } = await app.post('/merchants', complete);
    const { id, key, created } = body.merchant;
    const zero = { currency: 'DKK', amount: 0 };
    expect(status).toBe(201);
    expect(text).toBe(
      JSON.stringify({
        merchant: {
          id,
          key,
          ...complete,
          created,
          balance: 0,
          claim: {
            canChargeCard: true,
            canSaveCard: true,
            canCapture: true,
            canRefund: true,
            canVoid: true,
            canTransferToCard: false,
          },
          pricing: {
            rate: 2.5,
            flat: { currency: 'DKK', amount: 187 },
            dispute: { currency: 'DKK', amount: 11194 },
            transfer: { toCard: { rate: 0, flat: zero, dispute: zero } },
          },
          tds: { mode: 'attempt' },
        },
      }),
    );
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Date(created).toISOString()).toBe(created);
    const shown = await app.get(`/merchants/${id}`);
    expect([shown.status, shown.text]).toEqual([200, text]);
  });

  test('leaves optional fields null and test mode off', async () => {
    const { name, test, company, bank } = await newMerchant();
    expect({ name, test, company, bank }).toEqual({
      name: null,
      test: false,
      company: { country: 'DE', number: null },
      bank: { iban: null },
    });
  });

  test.each(['yes', 'y', 'true', '1', 'no', 'n', 'false', '0'])(
    'accepts a form with brackets, and %s as a Boolean',
    async (word) => {
      const { status, body } = await app.send(
        '/merchants',
        form(
          `currency=EUR&test=${word}&email=a@b.example&website=x&descriptor=X` +
            '&company[country]=DE&company%5Bnumber%5D=7&bank[iban]=DE89370400440532013000',
        ),
      );
      expect(status).toBe(201);
      expect(body.merchant.test).toBe(['yes', 'y', 'true', '1'].includes(word));
      expect(body.merchant.company).toEqual({ country: 'DE', number: '7' });
      expect(body.merchant.bank).toEqual({ iban: 'DE89370400440532013000' });
    },
  );

  test('lists every missing field, in the order of the specification', async () => {
    const { status, body } = await app.post('/merchants');
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual([
      'currency',
      'email',
      'website',
      'descriptor',
      'company.country',
    ]);
  });

  test.each([
    ['name', 'x'.repeat(200)],
    ['name', null],
    ['website', 'x'.repeat(2000)],
    ['descriptor', ' ~'.repeat(11)],
    ['company.number', 'x'.repeat(50)],
    ['company.country', 'SM'],
    ['bank.iban', 'MT84MALT011000012345MTLCAST001SA12'],
    ['company.country', 'US'],
    ['bank.iban', 'DK12345'],
    ['bank.iban', 'DK1'],
    ['bank.iban', `DK${'A1'.repeat(16)}`],
  ])('accepts %s at its bound: %s', async (path, value) => {
    const { status } = await app.post('/merchants', withField(complete, path, value));
    expect(status).toBe(201);
  });

  test.each([
    ['name', 'x'.repeat(201)],
    ['currency', 'eur'],
    ['currency', 'JPY'],
    ['currency', 'XXX'],
    ['currency', 978],
    ['test', 'yes'],
    ['test', 1],
    ['email', 'nobody'],
    ['website', ''],
    ['website', 'x'.repeat(2001)],
    ['descriptor', ''],
    ['descriptor', 'x'.repeat(23)],
    ['descriptor', 'CAFÉ'],
    ['descriptor', 'A\tB'],
    ['company.country', 'dk'],
    ['company.country', 'XK'],
    ['company.country', 'UK'],
    ['company.number', 'x'.repeat(51)],
    ['bank.iban', 'DE'],
    ['bank.iban', '1234567890'],
    ['bank.iban', 'DE1234é'],
    ['bank.iban', `DE${'1'.repeat(33)}`],
    ['bank.iban', 'de89370400440532013000'],
    ['bank.iban', 'DE89 3704 0044 0532 0130 00'],
  ])('rejects an invalid %s: %j', async (path, value) => {
    const { status, body } = await app.post('/merchants', withField(complete, path, value));
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual([path]);
  });

  test('accepts the 249 assigned country codes, which its OpenAPI document lists', async () => {
    const { components } = (await app.get('/openapi.json')).body;
    const { enum: codes } = components.schemas.Merchant.properties.company.properties.country;
    expect(new Set(codes).size).toBe(249);
    // Codes that are rarely listed, then codes that were withdrawn or that are only reserved.
    for (const [known, list] of [
      [true, ['AQ', 'AX', 'BQ', 'CW', 'SS', 'SX', 'TL', 'VA']],
      [false, ['AN', 'CS', 'EU', 'SU', 'YU', 'ZR', 'ZZ']],
    ] as const) {
      for (const country of list) {
        // No merchant is created, because the other fields are missing.
        const { body } = await app.post('/merchants', { company: { country } });
        expect([country, !fieldsOf(body).includes('company.country')]).toEqual([country, known]);
        expect(codes.includes(country)).toBe(known);
      }
    }
  });

  test.each([
    ['BGN', 49, 2934],
    ['CHF', 24, 1442],
    ['CZK', 625, 37500],
    ['EUR', 25, 1500],
    ['GBP', 21, 1282],
    ['HUF', 10000, 600000],
    ['NOK', 291, 17442],
    ['PLN', 108, 6466],
    ['RON', 124, 7463],
    ['SEK', 284, 17045],
    ['USD', 27, 1630],
  ])('returns the fees of an account in %s', async (currency, flat, dispute) => {
    const { pricing } = await newMerchant({ ...smallestMerchant, currency });
    expect(pricing.flat).toEqual({ currency, amount: flat });
    expect(pricing.dispute).toEqual({ currency, amount: dispute });
  });
});

describe('changing a merchant', () => {
  test.each([
    [{ name: 'New' }],
    [{ email: 'new@example.com' }],
    [{ descriptor: 'NEW' }],
    [{ name: 'New', email: 'new@example.com', descriptor: 'NEW' }],
    [{}],
    [undefined],
  ])('with %j returns 204 and changes nothing else', async (changes) => {
    const before = await newMerchant(complete);
    const { status, text } = await app.put(`/merchants/${before.id}`, changes);
    expect([status, text]).toEqual([204, '']);
    const { merchant } = (await app.get(`/merchants/${before.id}`)).body;
    expect(merchant).toEqual({ ...before, ...changes });
  });

  test('with null leaves a field unchanged', async () => {
    const before = await newMerchant(complete);
    const changes = { name: null, email: null, currency: null, company: { country: null } };
    expect((await app.put(`/merchants/${before.id}`, changes)).status).toBe(204);
    expect((await app.get(`/merchants/${before.id}`)).body.merchant).toEqual(before);
  });

  test('accepts a form', async () => {
    const { id } = await newMerchant(complete);
    await app.send(`/merchants/${id}`, form('name=New+name', 'PUT'));
    expect((await app.get(`/merchants/${id}`)).body.merchant.name).toBe('New name');
  });

  test('accepts a merchant as it was read, with changes or without, also as a form', async () => {
    const before = await newMerchant(complete);
    const at = `/merchants/${before.id}`;
    expect((await app.put(at, before)).status).toBe(204);
    expect((await app.get(at)).body.merchant).toEqual(before);
    expect((await app.put(at, { ...before, name: 'Renamed' })).status).toBe(204);
    const words = 'test=yes&company[country]=DK&company[number]=38211502&created=x&balance=7';
    const { id, key, currency, website } = before;
    const fields = new URLSearchParams({ id, key, currency, website, name: 'Renamed again' });
    expect((await app.send(at, form(`${fields}&${words}`, 'PUT'))).status).toBe(204);
    expect((await app.get(at)).body.merchant).toEqual({ ...before, name: 'Renamed again' });
  });

  test('accepts a merchant without optional fields as it was read', async () => {
    const before = await newMerchant();
    expect((await app.put(`/merchants/${before.id}`, before)).status).toBe(204);
    expect((await app.get(`/merchants/${before.id}`)).body.merchant).toEqual(before);
  });

  test('ignores the fields that the service computes', async () => {
    const before = await newMerchant(complete);
    const computed = { created: 0, balance: 9, claim: null, pricing: 'x', tds: { mode: 'none' } };
    expect((await app.put(`/merchants/${before.id}`, computed)).status).toBe(204);
    expect((await app.get(`/merchants/${before.id}`)).body.merchant).toEqual(before);
  });

  test('rejects another value of every immutable field by name, and changes nothing', async () => {
    const before = await newMerchant(complete);
    const { status, body } = await app.put(`/merchants/${before.id}`, {
      id: before.id.toUpperCase().replace(/.$/, 'f0'),
      key: '00000000-0000-4000-8000-000000000000',
      name: 'New',
      currency: 'EUR',
      test: false,
      website: `${before.website}/`,
      company: { country: 'DE', number: '38211503' },
      bank: { iban: 'GB33BUKB20201555555556' },
      email: 'new@example.com',
    });
    expect(status).toBe(400);
    const fields = [
      ...['id', 'key', 'currency', 'test', 'website'],
      ...['company.country', 'company.number', 'bank.iban'],
    ];
    expect(body).toEqual(fields.map((field) => ({ field, message: 'Cannot be changed' })));
    expect((await app.get(`/merchants/${before.id}`)).body.merchant).toEqual(before);
  });

  test('rejects a value of an immutable field that has none', async () => {
    const { id } = await newMerchant();
    const { body } = await app.put(`/merchants/${id}`, {
      company: { number: '1' },
      bank: { iban: 'DE1' },
    });
    expect(fieldsOf(body)).toEqual(['company.number', 'bank.iban']);
  });

  test.each([
    ['name', 'x'.repeat(201)],
    ['email', 'nobody'],
    ['descriptor', 'x'.repeat(23)],
    ['test', false],
    ['test', 'yes'],
    ['currency', 208],
  ])('rejects an invalid %s: %j', async (field, value) => {
    const { id } = await newMerchant(complete);
    const { status, body } = await app.put(`/merchants/${id}`, { [field]: value });
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual([field]);
  });

  test('applies a new descriptor to later transactions only', async () => {
    const shop = await openShop(sandbox);
    const earlier = await shop.charge(100);
    await shop.payments.put(`/merchants/${shop.id}`, { descriptor: 'CHANGED' });
    const shown = (await shop.payments.get(`/transactions/${earlier.id}`)).body.transaction;
    expect(shown.descriptor).toBe(earlier.descriptor);
    expect(earlier.descriptor).not.toBe('CHANGED');
    expect((await shop.charge(100)).descriptor).toBe('CHANGED');
  });
});

describe('listing merchants', () => {
  test('returns the merchants of the app, newest first, as GET returns them', async () => {
    const owner = await newApp(sandbox);
    const made: AnyRecord[] = [];
    for (const name of ['One', 'Two', 'Three']) {
      made.push((await owner.post('/merchants', { ...smallestMerchant, name })).body.merchant);
    }
    const { status, body } = await owner.get(`/identities/${owner.id}/merchants?limit=10`);
    expect(status).toBe(200);
    expect(body).toEqual(made.reverse());
  });

  test('can be filtered by test mode', async () => {
    const owner = await newApp(sandbox);
    for (const test of [true, false]) await owner.post('/merchants', { ...smallestMerchant, test });
    for (const [word, expected] of [
      ['yes', true],
      ['no', false],
    ]) {
      const { body } = await owner.get(
        `/identities/${owner.id}/merchants?limit=10&filter[test]=${word}`,
      );
      expect(body.map(({ test }: AnyRecord) => test)).toEqual([expected]);
    }
  });
});
