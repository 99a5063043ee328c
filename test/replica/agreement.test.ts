import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import { type Control, createControl } from '../../src/sandbox/testing/control-client.ts';
import type { Ask } from '../support/ask.ts';
import { newKey } from '../support/new-key.ts';
import { patientStore } from '../support/patience.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { fastSync, startGateway } from '../support/start-stack.ts';
import { preparedStorage } from '../support/storage.ts';
import { openTestReplica, type TestReplica } from '../support/test-replica.ts';
import { type Action, createOthers, otherKinds, type World } from './others.ts';
import { happenedOf, readTold } from './told.ts';

// Others and the gateway itself move money while sync runs. Then the replica must equal the service.

const WORLDS = inject('scale') === 1 ? 10 : 300;

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let replica: TestReplica;
let gateways: { readonly copied: Ask; readonly scanned: Ask };
let control: Control;
let others: ReturnType<typeof createOthers>;
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
  control = createControl(controlUrl);
  others = createOthers(rest(paymentsUrl, demoApp.key), control);
});
afterAll(async () => {
  for (const close of closing) await close();
  await sandbox?.close();
});

const kinds = [...otherKinds, 'ownCapture', 'ownRefund', 'ownVoid', 'poll'] as const;

const actions = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    pick: fc.nat(1_000),
    share: fc.integer({ min: 1, max: 100 }),
  }),
  { minLength: 5, maxLength: 30 },
);

/** Does what an action says: through the gateway, or as others do. */
async function perform(
  world: World,
  action: Omit<Action, 'kind'> & { readonly kind: (typeof kinds)[number] },
): Promise<void> {
  const { kind, pick, share } = action;
  const { merchant, transactions } = world;
  switch (kind) {
    case 'ownCapture':
    case 'ownRefund':
    case 'ownVoid':
      await move(kind.slice(3), transactions[pick % transactions.length] ?? '', share * 10);
      return;
    case 'poll':
      await replica.catchUp(merchant);
      return;
    default:
      await others.perform(world, { kind, pick, share });
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
      const transactions = (await others.list(merchant, 'transactions')).map(({ id }) => id);
      const world = { merchant, transactions, disputes: [], silent: new Set<string>() };
      for (const step of steps) await perform(world, step);
      await replica.catchUp(merchant);
      const isLoud = ({ id }: { id: string }) => !world.silent.has(id);
      const expected = (await others.list(merchant, 'transactions')).filter(isLoud);
      expect((await replica.records(merchant, 'txn')).filter(isLoud)).toEqual(expected);
      await replica.rereadOpen(merchant);
      await replica.catchUp(merchant);
      const shown = await others.readAll(merchant);
      for (const [kind, records] of Object.entries(shown)) {
        expect(await replica.records(merchant, kind)).toEqual(records);
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
