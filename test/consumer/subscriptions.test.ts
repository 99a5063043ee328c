import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { type ApolloClient, gql } from '@apollo/client';
import type { Client } from '@urql/core';
import { commitLocalUpdate, type Environment } from 'relay-runtime';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { root } from '../docs/documents.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { patientStore } from '../support/patience.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { fastSync, startGateway } from '../support/start-stack.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { startTcpSwitch, type TcpSwitch } from '../support/tcp-switch.ts';
import { openTestReplica, type TestReplica } from '../support/test-replica.ts';
import { codeOf, project } from './documented-project.ts';

// The clients of docs/subscriptions.md, as their readers copy them.

type Gateway = Awaited<ReturnType<typeof startGateway>>;

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let replica: TestReplica;
let control: ReturnType<typeof createControl>;
let gateway: Gateway;
let merchant: string;
/** The address that the clients know. */
let address: TcpSwitch;

beforeAll(async () => {
  sandbox = await startTestSandbox({ controlPort: 0 });
  control = createControl(sandbox.controlUrl ?? '');
  replica = await openTestReplica(sandbox.demoApp.key);
  gateway = await start();
  address = await startTcpSwitch(gateway.url);
  merchant = (await control.makeScene()).merchant.id.replace(/^mer_/, '');
  await replica.copy(merchant);
});
afterAll(async () => {
  await address?.close();
  await gateway?.close();
  await replica?.store.close();
  await sandbox?.close();
});

/** A gateway on the same database as the one before, which closes it as little. */
function start() {
  const { usersUrl, paymentsUrl, posUrl } = sandbox;
  return startGateway({
    services: { usersUrl, paymentsUrl, posUrl },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
    sync: fastSync,
    replica: { ...replica, store: { ...replica.store, close: async () => {} } },
  });
}

/** Stops the gateway. Its clients get into the next one once the switch is open. */
async function replaceGateway(): Promise<void> {
  const before = gateway;
  gateway = await start();
  await before.close();
  expect(before.bugs).toEqual([]);
}

/** A message as all clients show it. */
interface Message {
  readonly events: { readonly event: { readonly transaction: { readonly id: string } } | null };
}

const files = [
  ...['subscribe.ts', 'watch.ts', 'events.ts', 'urql-client.ts', 'apollo-client.ts'],
  ...['relay-environment.ts', 'payment-events.ts'],
];

const compilerOptions = {
  ...{ target: 'ES2023', module: 'ESNext', moduleResolution: 'bundler', noEmit: true },
  ...{ lib: ['ES2023', 'DOM', 'DOM.Iterable'], typeRoots: [`${root}node_modules/@types`] },
  ...{ types: ['node'], strict: true, skipLibCheck: true, verbatimModuleSyntax: true },
  ...{ allowImportingTsExtensions: true, erasableSyntaxOnly: true, noUnusedLocals: true },
};

/** Somebody's project with all files of the document. Returns the folder of its sources. */
async function install(): Promise<string> {
  const { folder, run } = project('codegen.ts', codeOf('codegen.ts'));
  const sources = join(folder, 'src');
  for (const file of files) writeFileSync(join(sources, file), codeOf(file));
  writeFileSync(join(folder, 'relay.config.json'), codeOf('relay.config.json'));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['src'] }),
  );
  // The code generator of one does not know the documents of the other.
  await run('relay-compiler', 'relay.config.json');
  await run('graphql-codegen');
  await run('tsc', '-p', '.');
  return sources;
}

/** Begins to receive with every client. */
async function beginAll(sources: string) {
  const [url, key] = [`${address.url}/graphql`, sandbox.demoApp.key];
  /** The ids of the payments that each client was told of; `null` for a message without an event. */
  const told: Record<string, (string | null)[]> = {};
  const tell = (client: string) => {
    const list: (string | null)[] = [];
    told[client] = list;
    return (data: Message | null | undefined) =>
      list.push(data?.events.event?.transaction.id ?? null);
  };
  // What was written just now has no types here.
  const load = (file: string) => import(join(sources, file));
  const { Events } = await load('events.ts');

  const program = spawn(process.execPath, ['watch.ts'], {
    cwd: sources,
    env: { ...process.env, GRAPHQL_URL: url, APP_KEY: key },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const read = tell('graphql-sse');
  createInterface(program.stdout).on('line', (line) => read(JSON.parse(line)));

  const urql: Client = (await load('urql-client.ts')).createClient(url, key);
  const showUrql = tell('urql');
  const ofUrql = urql.subscription<Message>(Events, {}).subscribe(({ data }) => showUrql(data));

  const apollo: ApolloClient = (await load('apollo-client.ts')).createClient(url, key);
  const showApollo = tell('Apollo Client');
  const ofApollo = apollo
    .subscribe<Message>({ query: Events })
    .subscribe(({ data }) => showApollo(data));

  const relay: Environment = (await load('relay-environment.ts')).createEnvironment(url, key);
  const { watchPayments } = await load('payment-events.ts');
  const ofRelay = watchPayments(relay, { onNext: tell('Relay') });
  const stops = [
    () => ofUrql.unsubscribe(),
    () => void program.kill(),
    () => ofApollo.unsubscribe(),
    () => ofRelay.dispose(),
  ];
  onTestFinished(() => {
    for (const stop of stops) stop();
  });
  return { told, apollo, relay, stops };
}

const pay = async () => {
  const { transactionId } = await control.pay({
    ...{ merchantId: merchant, amount: 1_000, card: '4100000000000000' },
  });
  return `txn_${transactionId}`;
};

/** Waits until the gateway has an event of a payment. */
async function noticed(transactionId: string): Promise<void> {
  const query = `query ($id: ID!) { merchant(id: $id) { events(last: 1) {
    edges { node { transaction { id } } } } } }`;
  await expect
    .poll(async () => {
      await replica.store.want([merchant]);
      const { data } = await gateway.ask(query, { id: merchant }, sandbox.demoApp.key);
      return data.merchant.events.edges[0]?.node.transaction.id;
    })
    .toBe(transactionId);
}

const PENDING = gql`fragment Pending on Transaction { pendingAmount { decimal } }`;

test('every client is told of each event once, also if the connection breaks or the gateway stops', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const { told, apollo, relay, stops } = await beginAll(await install());
  const clients = Object.values(told);
  const idsOf = (list: readonly (string | null)[]) => list.filter((id) => id !== null);
  /** Waits until every client was told of these payments, and of nothing else. */
  const all = (...ids: string[]) =>
    expect.poll(() => clients.map(idsOf)).toEqual(clients.map(() => ids));
  await expect.poll(() => clients.every((list) => list.length > 0)).toBe(true);

  const first = await pay();
  await all(first);

  address.shut();
  const second = await pay();
  await noticed(second);
  address.open(gateway.url);
  await all(first, second);
  expect(warn).toHaveBeenCalled();

  // The gateway says that it stops, with a cursor.
  await replaceGateway();
  address.shut();
  const third = await pay();
  await noticed(third);
  address.open(gateway.url);
  await all(first, second, third);

  const { paymentsUrl, demoApp } = sandbox;
  const path = `/transactions/${third.slice(4)}/captures`;
  await rest(paymentsUrl, demoApp.key).post(path, { amount: 400 });
  await all(first, second, third, third);
  expect(
    apollo.cache.readFragment({ fragment: PENDING, id: `Transaction:${third}` }),
  ).toMatchObject({ pendingAmount: { decimal: '6.00' } });
  commitLocalUpdate(relay, (store) => {
    const pending = store.get(third)?.getLinkedRecord('pendingAmount');
    expect(pending?.getValue('decimal')).toBe('6.00');
  });

  // Nobody who has stopped comes back: neither from a connection, nor from a pause.
  const [one, two, ...others] = stops;
  one?.();
  two?.();
  await expect.poll(() => address.count()).toBe(2);
  warn.mockClear();
  address.shut();
  await expect.poll(() => warn.mock.calls.length).toBe(others.length);
  const total = address.total();
  address.open(gateway.url);
  for (const stop of others) stop();
  await setTimeout(6_000);
  expect(address.total()).toBe(total);
});

test('a connection that is open but silent is replaced, and an idle one is not', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const network = await startTcpProxy(Number(new URL(gateway.url).port));
  onTestFinished(() => network.close());
  const { folder } = project('package.json', '{ "type": "module" }');
  writeFileSync(join(folder, 'subscribe.ts'), codeOf('subscribe.ts'));
  const { subscribe } = await import(join(folder, 'subscribe.ts'));
  const query = `subscription ($after: String) {
    events(after: $after) { cursor event { transaction { id } } }
  }`;
  const told: (string | undefined)[] = [];
  const next = ({ data }: { data: Message }) => told.push(data.events.event?.transaction.id);
  const url = `http://127.0.0.1:${network.port}/graphql`;
  const silenceMs = 15_000;
  onTestFinished(subscribe(url, sandbox.demoApp.key, { query }, { next }, silenceMs));
  await expect.poll(() => told).toEqual([undefined]);

  // The gateway sends comments more often.
  await setTimeout(silenceMs + 1_000);
  expect(warn).not.toHaveBeenCalled();

  network.onReceived = () => 'silence';
  const payment = await pay();
  await noticed(payment);
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  network.onReceived = undefined;
  await expect.poll(() => told).toEqual([undefined, undefined, payment]);
});
