import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, fieldsOf, newApp, openShop, type Shop } from './shop.ts';

const UNKNOWN_ID = 'ffffffffffffffffffffffff';
const DAY_MS = 24 * 3600 * 1000;
const NOW = Date.UTC(2030, 0, 1);

let sandbox: Sandbox;
/** Shops whose payments lead to a dispute with this outcome, or to a fraud alert. */
let shops: Record<'open' | 'won' | 'lost' | 'fraud', Shop>;
let other: Shop;

beforeAll(async () => {
  sandbox = await startTestSandbox({ environment: { clock: () => new Date(NOW) } });
  shops = {
    open: await openShop(sandbox, 'EUR', '0100'),
    won: await openShop(sandbox, 'EUR', '0101'),
    lost: await openShop(sandbox, 'EUR', '0102'),
    fraud: await openShop(sandbox, 'EUR', '0110'),
  };
  other = await openShop(sandbox, 'DKK', '0100');
});
afterAll(() => sandbox.close());

const lists = ['disputes', 'frauds'] as const;
type List = (typeof lists)[number];

function get(list: List, query: string, caller = shops.open.payments) {
  return caller.get(`/${list}?${query}`);
}

/** The disputes or fraud alerts of the shop in EUR, optionally of one transaction only. */
async function recordsOf(list: List, transactionId?: string): Promise<AnyRecord[]> {
  const narrower = transactionId === undefined ? '' : `&filter[transactionId]=${transactionId}`;
  return (await get(list, `limit=1000&filter[merchantId]=${shops.open.id}${narrower}`)).body;
}

/** A payment of 1000 minor units with captures of these amounts. */
async function captured(kind: keyof typeof shops, ...amounts: number[]): Promise<AnyRecord> {
  let transaction = await shops[kind].charge(1000);
  for (const amount of amounts) {
    transaction = await shops[kind].move('captures', transaction.id, { amount });
  }
  return transaction;
}

async function fetchTransaction(id: string): Promise<AnyRecord> {
  return (await shops.open.payments.get(`/transactions/${id}`)).body.transaction;
}

describe('a dispute', () => {
  test('is opened by a capture, and is the same alone and in the list', async () => {
    const { id, disputedAmount, trail } = await captured('open', 300);
    expect([disputedAmount, trail.length]).toEqual([300, 1]);
    const [dispute] = await recordsOf('disputes', id);
    const created = Date.parse(dispute.created);
    const alone = await shops.open.payments.get(`/disputes/${dispute.id}`);
    expect(alone.status).toBe(200);
    expect(alone.text).toBe(
      JSON.stringify({
        dispute: {
          id: dispute.id,
          merchantId: shops.open.id,
          transactionId: id,
          created: dispute.created,
          amount: 300,
          reason: { code: 30, title: 'Services not provided or merchandise not received' },
          due: new Date(created + 14 * DAY_MS).toISOString(),
        },
      }),
    );
    expect(alone.body.dispute).toEqual(dispute);
    expect(dispute.created).toBe(trail[0].created);
  });

  test('is opened by every capture, in the currency of the transaction', async () => {
    const { id } = await shops.open.charge(1000, { currency: 'JPY' });
    await shops.open.move('captures', id, { amount: 100 });
    await shops.open.move('captures', id, { amount: 900 });
    const amounts = (await recordsOf('disputes', id)).map(({ amount }) => amount);
    expect(amounts).toEqual([900, 100]);
  });

  test('is not opened by a void or a refund', async () => {
    const { id } = await captured('open', 300);
    await shops.open.move('voids', id, { amount: 700 });
    await shops.open.move('refunds', id, { amount: 300 });
    expect(await recordsOf('disputes', id)).toHaveLength(1);
  });

  test.each(['won', 'lost'] as const)(
    'that is %s shows its outcome in the trail only',
    async (outcome) => {
      const { id } = await captured(outcome, 1000);
      const [before] = await recordsOf('disputes', id);
      expect((await fetchTransaction(id)).trail).toHaveLength(1);
      await sandbox.advanceClock(2_000);
      const { trail, disputedAmount, capturedAmount } = await fetchTransaction(id);
      expect(trail[1]).toMatchObject({ amount: 1000, dispute: { id: before.id, [outcome]: true } });
      expect(Object.keys(trail[1].dispute)).toEqual(['id', outcome]);
      expect(['capture', 'refund', 'void'].filter((kind) => kind in trail[1])).toEqual([]);
      expect([disputedAmount, capturedAmount]).toEqual([1000, 1000]);
      expect(await recordsOf('disputes', id)).toEqual([before]);
    },
  );

  test('with the card …0100 stays open for years', async () => {
    const { id } = await captured('open', 1000);
    await sandbox.advanceClock(1000 * DAY_MS);
    expect((await fetchTransaction(id)).trail).toHaveLength(1);
  });

  test('does not prevent captures, voids and refunds, even if it is lost', async () => {
    const { id } = await captured('lost', 300);
    await sandbox.advanceClock(2_000);
    await shops.lost.move('refunds', id, { amount: 300 });
    await shops.lost.move('captures', id, { amount: 200 });
    const after = await shops.lost.move('voids', id, { amount: 500 });
    expect(after).toMatchObject({ pendingAmount: 0, refundedAmount: 300, disputedAmount: 500 });
  });
});

test('money that a lost dispute took can be refunded, so that the merchant pays it twice', async () => {
  const { id } = await captured('lost', 1000);
  await sandbox.advanceClock(2_000);
  const { capturedAmount, refundedAmount, trail } = await shops.lost.move('refunds', id, {
    amount: 1000,
  });
  expect([capturedAmount, refundedAmount]).toEqual([1000, 1000]);
  const [capture, dispute, refund] = trail;
  const gross = capture.balance + capture.fee.flat + capture.fee.rate;
  expect([dispute.balance, dispute.fee]).toEqual([-gross - 1500, { flat: 1500, rate: 0 }]);
  expect(refund.balance).toBe(capture.fee.rate - gross);
});

describe('a fraud alert', () => {
  test('is filed by the first capture only, and is the same alone and in the list', async () => {
    const uncaptured = await captured('fraud');
    expect(await recordsOf('frauds', uncaptured.id)).toEqual([]);
    const { id, trail, disputedAmount } = await captured('fraud', 300, 700);
    const alerts = await recordsOf('frauds', id);
    const [alert] = alerts;
    expect(alerts).toHaveLength(1);
    const alone = await shops.fraud.payments.get(`/frauds/${alert.id}`);
    expect(alone.status).toBe(200);
    expect(alone.text).toBe(
      JSON.stringify({
        fraud: {
          id: alert.id,
          merchantId: shops.fraud.id,
          transactionId: id,
          created: trail[0].created,
          reported: trail[0].created,
          reason: 1,
        },
      }),
    );
    expect(alone.body.fraud).toEqual(alert);
    expect([disputedAmount, trail.length]).toEqual([0, 2]);
  });
});

describe.each(lists)('the list of %s', (list) => {
  const kind = list === 'disputes' ? 'open' : 'fraud';

  test('has one element per line, newest first, and accepts both cursors', async () => {
    for (let count = 0; count < 3; count++) await captured(kind, 10);
    const ofMerchant = `filter[merchantId]=${shops.open.id}`;
    const complete = await get(list, `limit=1000&${ofMerchant}`);
    const lines = complete.body.map((each: AnyRecord) => JSON.stringify(each));
    expect(complete.text).toBe(`[\n${lines.join(',\n')}\n]`);
    const ids: string[] = complete.body.map(({ id }: AnyRecord) => id);
    expect(ids).toEqual([...ids].sort().reverse());

    const idsOf = async (query: string) =>
      (await get(list, `${query}&${ofMerchant}`)).body.map(({ id }: AnyRecord) => id);
    expect(await idsOf('limit=2')).toEqual(ids.slice(0, 2));
    expect(await idsOf(`limit=2&before=${ids[0]}`)).toEqual(ids.slice(1, 3));
    expect(await idsOf(`limit=2&after=${ids[2]}`)).toEqual([ids[1], ids[0]]);
  });

  test('contains the records of one merchant, or of one of its transactions', async () => {
    const { id } = await captured(kind, 10);
    const merchants = new Set((await recordsOf(list)).map(({ merchantId }) => merchantId));
    expect([...merchants]).toEqual([shops.open.id]);
    const narrowed = await recordsOf(list, id.toUpperCase());
    expect(narrowed.map(({ transactionId }) => transactionId)).toEqual([id]);
    const encoded = `limit=1&filter%5BmerchantId%5D=${shops.open.id}`;
    expect((await get(list, encoded)).body[0].transactionId).toBe(id);
  });

  test('is empty for a transaction without records, of another merchant, or that is unknown', async () => {
    const [foreign] = (await get(list, `limit=1&filter[merchantId]=${other.id}`)).body;
    const { id } = await captured(kind);
    for (const transactionId of [UNKNOWN_ID, foreign.transactionId, id]) {
      expect(await recordsOf(list, transactionId)).toEqual([]);
    }
  });

  test.each([
    ['', ['limit', 'filter[merchantId]']],
    ['limit=5', ['filter[merchantId]']],
    ['limit=0&filter[merchantId]=', ['limit', 'filter[merchantId]']],
    ['limit=5&filter[merchantId]=nonsense', ['filter[merchantId]']],
    [`limit=5&filter[merchantId]=${UNKNOWN_ID}&filter[transactionId]=x`, ['filter[transactionId]']],
    [`limit=5&filter[merchantId]=${UNKNOWN_ID}&filter[test]=yes`, ['filter[test]']],
    [
      `limit=5&filter[merchantId]=${UNKNOWN_ID}&filter[merchantId]=${UNKNOWN_ID}`,
      ['filter[merchantId]'],
    ],
  ])('fails with 400 for "%s"', async (query, fields) => {
    const { status, body } = await get(list, query);
    expect([status, fieldsOf(body)]).toEqual([400, fields]);
  });

  test('and its records require an app of the merchant', async () => {
    const [{ id }] = (await get(list, `limit=1&filter[merchantId]=${shops.open.id}`)).body;
    const stranger = await newApp(sandbox);
    for (const [caller, merchant, record, expected] of [
      [rest(sandbox.paymentsUrl), shops.open.id, id, 401],
      [stranger, shops.open.id, id, 403],
      [shops.open.payments, UNKNOWN_ID, UNKNOWN_ID, 404],
    ] as const) {
      const listed = await get(list, `limit=1&filter[merchantId]=${merchant}`, caller);
      expect(listed.status).toBe(expected);
      expect((await caller.get(`/${list}/${record}`)).status).toBe(expected);
    }
    const swapped = list === 'disputes' ? 'frauds' : 'disputes';
    expect((await shops.open.payments.get(`/${swapped}/${id}`)).status).toBe(404);
    expect((await shops.open.payments.get(`/${list}/nonsense`)).status).toBe(404);
  });
});
