import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import {
  openReplicaStore,
  replicaProgram,
} from '../../src/gateway/replica/store/open-replica-store.ts';
import { createReplicaStore } from '../../src/gateway/replica/store/replica-store.ts';
import type { Ask } from '../support/ask.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { patientStore } from '../support/patience.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { fastSync, startGateway } from '../support/start-stack.ts';
import { preparedPostgres } from '../support/storage.ts';

// Two gateways on one database, each with a replica of the same merchants.

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let asks: readonly [Ask, Ask];
let stranger: Ask;
let database: Database;
/** `METHOD /path` of every call. */
const calls: string[] = [];
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  sandbox = await startTestSandbox({
    log: ({ method, path }) => calls.push(`${method} ${path}`),
  });
  const { usersUrl, paymentsUrl, posUrl, demoApp } = sandbox;
  const storage = { databaseUrl: await preparedPostgres() };
  database = await openDatabase({ ...storage, connections: 1 }, replicaProgram);
  closing.push(() => database.close());
  const start = async (): Promise<Ask> => {
    const store = await openStore({ ...storage, ...patientStore });
    const replica = {
      store: await openReplicaStore(storage),
      shown: store.shown,
      key: demoApp.key,
    };
    const { ask, close } = await startGateway({
      services: { usersUrl, paymentsUrl, posUrl },
      ...{ store, replica, sync: fastSync },
    });
    closing.push(close);
    stranger = ask;
    return (query, variables) => ask(query, variables, demoApp.key);
  };
  asks = [await start(), await start()];
});
afterAll(async () => {
  for (const close of closing) await close();
  await sandbox?.close();
});

test('an app without access to a copied merchant sees nothing of it', async () => {
  const { id } = await given({ ask: asks[0] }).merchant();
  const { data: created } = await stranger(`mutation { createApp(input: {}) {
    ... on CreateAppSuccess { key }
  } }`);
  const query = `query ($id: ID!) { merchant(id: $id) {
    replica { state } transactions(filter: { text: "0" }) { edges { node { id } } }
  } }`;
  const { data, errors } = await stranger(query, { id }, created.createApp.key);
  expect([data, errors]).toMatchObject([
    { merchant: null },
    [{ extensions: { code: 'FORBIDDEN' } }],
  ]);
});

/** How often each merchant was polled. */
async function readPolls(): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ merchant: string; polls: number }>(
    'SELECT merchant, polls FROM replica_merchant',
  );
  return new Map(rows.map(({ merchant, polls }) => [merchant, polls]));
}

const sumOf = (polls: ReadonlyMap<string, number>) =>
  [...polls.values()].reduce((sum, one) => sum + one, 0);

/** Polls every merchant that nobody holds, many times. */
async function pollMany(times: number): Promise<void> {
  const before = sumOf(await readPolls());
  await expect
    .poll(
      async () => {
        await database.query('UPDATE replica_merchant SET next_at = now()');
        return sumOf(await readPolls());
      },
      { timeout: 60_000, interval: 20 },
    )
    .toBeGreaterThan(before + times);
}

test('two gateways poll as often as one, and a merchant that a dead one holds waits for its lease', async () => {
  await expect
    .poll(async () => database.query(`SELECT FROM replica_merchant WHERE state <> 'READY'`), {
      timeout: 60_000,
    })
    .toEqual([]);
  const { claim } = createReplicaStore(database);
  /** Calls for lines, each of which begins a poll. */
  const readSurplus = async () =>
    calls.filter((call) => call.endsWith('/lines')).length - sumOf(await readPolls());
  const merchants = (await readPolls()).size;
  const before = await readSurplus();
  await pollMany(9);
  // A poll of each may have begun.
  expect(Math.abs((await readSurplus()) - before)).toBeLessThanOrEqual(merchants);

  // A process takes a merchant, and is never heard of again.
  await database.query('UPDATE replica_merchant SET next_at = now()');
  let held: string | undefined;
  await expect.poll(async () => (held = (await claim())?.merchant), { interval: 1 }).toBeDefined();
  const polls = async () => (await readPolls()).get(held ?? '') ?? 0;
  const heldAt = await polls();
  await pollMany(4);
  expect(await polls()).toBe(heldAt);
  await database.query(
    `UPDATE replica_merchant SET leased_until = leased_until - interval '61 seconds' WHERE merchant = $1`,
    [held],
  );
  await expect.poll(polls, { timeout: 60_000 }).toBeGreaterThan(heldAt);
});

const FOUND = `query ($id: ID!, $state: TransactionState!) {
  node(id: $id) {
    ... on Transaction {
      merchant {
        transactions(first: 100, filter: { state: [$state] }) {
          edges { node { id } } search { source complete }
        }
        sorted: transactions(first: 100, filter: { state: [$state] }, orderBy: { field: AMOUNT }) {
          edges { node { id } }
        }
      }
    }
  }
  transactions(first: 100, filter: { state: [$state] }) { edges { node { id } } }
}`;

interface List {
  readonly edges: readonly { readonly node: { readonly id: string } }[];
}

interface Found {
  /** The filtered list, the same sorted, and that of all merchants. */
  readonly lists: readonly List[];
  readonly source: string;
}

async function find(ask: Ask, id: string, state: string): Promise<Found> {
  const { data, errors } = await ask(FOUND, { id, state });
  expect(errors).toBeUndefined();
  const { transactions, sorted } = data.node.merchant;
  return { lists: [transactions, sorted, data.transactions], source: transactions.search.source };
}

/** In how many of the lists a transaction is. */
const countIn = ({ lists }: Found, id: string) =>
  lists.filter(({ edges }) => edges.some(({ node }) => node.id === id)).length;

test('no gateway finds the state before a success that a client was told of', async () => {
  const [one, other] = asks;
  const ids = await Promise.all(Array.from({ length: 8 }, () => given({ ask: one }).transaction()));
  const client = async (id: string, index: number) => {
    const [writer, reader] = index % 2 === 0 ? [one, other] : [other, one];
    for (const [kind, state] of [
      ['capture', 'CAPTURED'],
      ['refund', 'REFUNDED'],
    ] as const) {
      const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
      const { data } = await writer(
        `mutation ($input: ${name}TransactionInput!) {
          result: ${kind}Transaction(input: $input) { __typename }
        }`,
        {
          input: {
            transactionId: id,
            amount: { minorUnits: 1_000, currency: 'EUR' },
            idempotencyKey: newKey(),
          },
        },
      );
      expect(data.result).toEqual({ __typename: `${name}TransactionSuccess` });
      for (const ask of [reader, writer]) {
        const found = await find(ask, id, state);
        expect(countIn(found, id)).toBe(3);
        expect(countIn(await find(ask, id, 'AUTHORIZED'), id)).toBe(0);
      }
    }
  };
  await Promise.all(ids.map(client));
  // Sooner or later, the replica shows it, too.
  await expect
    .poll(async () => (await find(one, ids[0] ?? '', 'REFUNDED')).source, {
      timeout: 60_000,
    })
    .toBe('REPLICA');
  for (const id of ids) expect(countIn(await find(other, id, 'REFUNDED'), id)).toBe(3);
});
