import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import type { Ask } from '../support/ask.ts';
import { newKey } from '../support/new-key.ts';
import { patientStore } from '../support/patience.ts';
import { type RestCaller, rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { fastSync, startGateway } from '../support/start-stack.ts';
import { preparedStorage } from '../support/storage.ts';
import { openTestReplica, type TestReplica } from '../support/test-replica.ts';
import { happenedOf, readTold } from './told.ts';

// Others and the gateway itself move money while sync runs. Then the replica must equal the service.

const WORLDS = inject('scale') === 1 ? 10 : 300;
const KINDS = { txn: 'transactions', lin: 'lines', dsp: 'disputes', frd: 'frauds' } as const;

type Control = ReturnType<typeof createControl>;

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let replica: TestReplica;
let gateways: { readonly copied: Ask; readonly scanned: Ask };
let service: RestCaller;
let control: Control;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  sandbox = await startTestSandbox({ controlPort: 0 });
  const { usersUrl, paymentsUrl, posUrl, demoApp, controlUrl = '' } = sandbox;
  const storage = await preparedStorage();
  const store = await openStore({ ...storage, ...patientStore });
  replica = await openTestReplica(demoApp.key, store.shown);
  const start = async (options: object) => {
    const { close, ask, bugs } = await startGateway({
      services: { usersUrl, paymentsUrl, posUrl },
      store: { ...store, close: async () => {} },
      ...options,
    });
    closing.push(close);
    closing.push(async () => expect(bugs).toEqual([]));
    return ((query, variables) => ask(query, variables, demoApp.key)) satisfies Ask as Ask;
  };
  gateways = {
    copied: await start({ replica, sync: fastSync }),
    scanned: await start({}),
  };
  closing.push(() => store.close());
  service = rest(paymentsUrl, demoApp.key);
  control = createControl(controlUrl);
});
afterAll(async () => {
  for (const close of closing) await close();
  await sandbox?.close();
});

/** Somebody does something. A number chooses among what there is. */
type Action = {
  readonly kind: (typeof kinds)[number];
  readonly pick: number;
  readonly share: number;
};

const kinds = [
  ...['pay', 'decline', 'capture', 'refund', 'void', 'ownCapture', 'ownRefund', 'ownVoid'],
  ...['dispute', 'decide', 'payout', 'fraud', 'expire', 'poll'],
] as const;

const actions = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    pick: fc.nat(1_000),
    share: fc.integer({ min: 1, max: 100 }),
  }),
  { minLength: 5, maxLength: 30 },
);

async function list(merchant: string, name: string): Promise<{ id: string }[]> {
  const path = ['transactions', 'lines'].includes(name)
    ? `/merchants/${merchant}/${name}?`
    : `/${name}?filter[merchantId]=${merchant}&`;
  const found: { id: string }[] = [];
  for (let before = ''; ; ) {
    const { body } = await service.get(`${path}limit=100${before}`);
    const page: { id: string }[] = body[name] ?? body;
    if (page.length === 0) return found;
    found.push(...page);
    before = `&before=${page.at(-1)?.id}`;
  }
}

interface World {
  readonly merchant: string;
  readonly transactions: string[];
  readonly disputes: string[];
  /** Transactions with a change that writes no line. */
  readonly silent: Set<string>;
}

/** Does what an action says. What is not possible is rejected, which is fine. */
async function perform(world: World, { kind, pick, share }: Action): Promise<void> {
  const { merchant, transactions, disputes } = world;
  const transaction = transactions[pick % transactions.length] ?? '';
  const amount = share * 10;
  switch (kind) {
    case 'pay':
    case 'decline': {
      const card = kind === 'pay' ? '4100000000000000' : '4100000000000007';
      const { transactionId } = await control.pay({ merchantId: merchant, amount: 1_000, card });
      transactions.unshift(transactionId);
      return;
    }
    case 'capture':
    case 'refund':
    case 'void':
      if (kind === 'void') world.silent.add(transaction);
      await service.post(`/transactions/${transaction}/${kind}s`, { amount });
      return;
    case 'ownCapture':
    case 'ownRefund':
    case 'ownVoid':
      await move(kind.slice(3), transaction, amount);
      return;
    case 'dispute': {
      const opened = await control.disputes
        .open({ transactionId: transaction, amount })
        .catch(() => undefined);
      if (opened !== undefined) disputes.push(opened.disputeId);
      return;
    }
    case 'decide':
      for (const id of transactions) world.silent.add(id);
      await control.disputes
        .decide(disputes[pick % disputes.length] ?? 'none', pick % 2 === 0 ? 'won' : 'lost')
        .catch(() => {});
      return;
    case 'payout':
      await control.payouts.make({ merchantId: merchant }).catch(() => {});
      return;
    case 'fraud':
      await control.fileFraudAlert({ transactionId: transaction }).catch(() => {});
      return;
    case 'expire':
      world.silent.add(transaction);
      await control.expire(transaction).catch(() => {});
      return;
    default:
      await replica.catchUp(merchant);
  }
}

/** Moves money through the gateway. A success must at once be in every filtered list. */
async function move(kind: string, transaction: string, minorUnits: number): Promise<void> {
  const { data } = await gateways.copied(
    `mutation ($input: ${kind}TransactionInput!) {
      result: ${kind.toLowerCase()}Transaction(input: $input) {
        __typename
        ... on ${kind}TransactionSuccess {
          transaction { state merchant { id } capturedAmount { minorUnits } }
        }
      }
    }`,
    {
      input: {
        transactionId: transaction,
        amount: { minorUnits, currency: 'EUR' },
        idempotencyKey: newKey(),
      },
    },
  );
  const moved = data.result.transaction;
  if (moved === undefined) return;
  const { data: found } = await gateways.copied(
    `query ($id: ID!, $state: [TransactionState!]) {
      merchant(id: $id) {
        transactions(first: 100, filter: { state: $state }) {
          edges { node { rawId capturedAmount { minorUnits } } }
        }
      }
    }`,
    { id: moved.merchant.id, state: [moved.state] },
  );
  const { edges } = found.merchant.transactions;
  const own = edges.find(({ node }: { node: { rawId: string } }) => node.rawId === transaction);
  expect(own?.node.capturedAmount).toEqual(moved.capturedAmount);
}

const FILTERS = [
  'transactions(first: 100, filter: { state: [CAPTURED, PARTIALLY_REFUNDED] })',
  'transactions(first: 100, filter: { availableAction: [REFUND, VOID] })',
  'transactions(first: 100, filter: { disputed: true })',
  'transactions(first: 100, filter: { text: "10.00" })',
  'lines(first: 100, filter: { kind: [CAPTURE, DISPUTE] })',
  'lines(first: 100, filter: { balanceChange: { currency: "EUR", max: -1 } })',
];

/** What a gateway answers to every filter. */
async function answers(ask: Ask, merchant: string) {
  const fields = FILTERS.map(
    (field, index) => `f${index}: ${field} {
      edges { cursor node { rawId } } pageInfo { hasNextPage } search { source skipped complete }
    }`,
  );
  const { data, errors } = await ask(
    `query ($id: ID!) { merchant(id: $id) { ${fields.join('\n')} } }`,
    {
      id: merchant,
    },
  );
  expect(errors).toBeUndefined();
  const found: { search: { source: string } }[] = Object.values(data.merchant);
  return {
    sources: new Set(found.map(({ search }) => search.source)),
    found: found.map(({ search: { source, ...search }, ...others }) => ({ ...others, search })),
  };
}

test('a write shortly before the first copy of a merchant counts as shown only once it is', async () => {
  const scene = await control.makeScene();
  const merchant = scene.merchant.id.replace(/^mer_/, '');
  const { transactionId } = await control.pay({
    merchantId: merchant,
    amount: 1_000,
    card: '4100000000000000',
  });
  const { data } = await gateways.copied(
    `mutation ($input: VoidTransactionInput!) { voidTransaction(input: $input) { __typename } }`,
    {
      input: {
        transactionId,
        amount: { minorUnits: 1_000, currency: 'EUR' },
        idempotencyKey: newKey(),
      },
    },
  );
  expect(data.voidTransaction.__typename).toBe('VoidTransactionSuccess');
  // As sync does for a merchant that is not copied, and when the first copy begins. The service may
  // read from a copy of its own that lags.
  await replica.shown.markAll([merchant]);
  expect(await replica.shown.has([merchant])).toBe(true);
  await replica.copy(merchant);
  await expect.poll(() => replica.shown.has([merchant]), { timeout: 60_000 }).toBe(false);
  const records = (await replica.records(merchant, 'txn')) as { id: string; trail?: object[] }[];
  expect(records.find(({ id }) => id === transactionId)?.trail).toMatchObject([{ void: true }]);
});

test(`in ${WORLDS} worlds where others move money, the replica equals the service`, async () => {
  await fc.assert(
    fc.asyncProperty(actions, async (steps) => {
      const scene = await control.makeScene();
      const merchant = scene.merchant.id.replace(/^mer_/, '');
      await replica.copy(merchant);
      const transactions = (await list(merchant, 'transactions')).map(({ id }) => id);
      const world = { merchant, transactions, disputes: [], silent: new Set<string>() };
      for (const step of steps) await perform(world, step);
      await replica.catchUp(merchant);
      const isLoud = ({ id }: { id: string }) => !world.silent.has(id);
      const expected = (await list(merchant, 'transactions')).filter(isLoud);
      expect((await replica.records(merchant, 'txn')).filter(isLoud)).toEqual(expected);
      await replica.rereadOpen(merchant);
      await replica.catchUp(merchant);
      const shown = { txn: [], lin: [], dsp: [], frd: [] };
      for (const [kind, name] of Object.entries(KINDS)) {
        const records = await list(merchant, name);
        expect(await replica.records(merchant, kind)).toEqual(records);
        Object.assign(shown, { [kind]: records });
      }
      expect(await readTold(gateways.copied, merchant)).toEqual(happenedOf(shown));
      const copied = await answers(gateways.copied, merchant);
      const scanned = await answers(gateways.scanned, merchant);
      expect(copied.found).toEqual(scanned.found);
      expect([copied.sources, scanned.sources]).toEqual([new Set(['REPLICA']), new Set(['SCAN'])]);
    }),
    { numRuns: WORLDS, endOnFailure: true },
  );
});
