import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Change } from '../../src/gateway/money/engine/change.ts';
import type { Intent } from '../../src/gateway/money/store/operation-store.ts';
import { passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { patientGateway } from '../support/patience.ts';
import { type RelayArguments, relayArguments, relayPage } from '../support/relay-oracle.ts';
import { answerWith, loseRequest, signal } from './support/faults.ts';
import { findOperation, movementInput, submit } from './support/money-client.ts';
import { newCapture, newCreation, TRAIL_SNAPSHOT } from './support/new-intent.ts';
import { keepOpen, type OpenedStore, storesWithDatabase } from './support/open-stores.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

const SIGNED = { by: 'anna', note: 'checked' };
const REJECTED: Change = {
  to: 'REJECTED',
  evidence: 'ANSWERED',
  rejection: { code: 'CONFLICT', message: 'no' },
};
const RELEASED_REASON = { code: 'NOT_SENT', message: 'later' } as const;
const AT_ONCE = 20;
const PAGE =
  '{ edges { cursor node { id } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }';

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly pageInfo: object;
}

describe.each(storesWithDatabase)('on %s', (_name, open) => {
  let opened: OpenedStore;
  let gateway: ProxiedGateway;
  /** Called when the gateway has read a list, before it uses it. */
  let onListed: () => Promise<unknown>;
  /** How often the gateway has read a list. */
  let listed = 0;
  let merchant: { readonly id: string; readonly rawId: string };
  beforeAll(async () => {
    opened = await open();
    const { store } = opened;
    const listOfMerchant: typeof store.listOfMerchant = async (query) => {
      listed += 1;
      const operations = await store.listOfMerchant(query);
      await onListed();
      return operations;
    };
    gateway = await startProxiedGateway({ store: { ...keepOpen(store), listOfMerchant } });
    merchant = await given(gateway.direct).merchant();
  });
  afterAll(async () => {
    await gateway?.close();
    await opened?.store.close();
  });
  beforeEach(async () => {
    gateway.reset();
    onListed = async () => {};
    await opened.database.query('DELETE FROM money_operation');
  });

  /** Records an operation of the merchant; returns its id. */
  async function record(
    change?: Change,
    intent: Intent = newCapture(),
    merchantId = merchant.rawId,
  ): Promise<string> {
    const { store } = opened;
    const { operation } = await store.claim({ ...intent, merchantId } as Intent);
    const snapshot = intent.kind === 'CREATE' ? { newest: null } : TRAIL_SNAPSHOT;
    const sending = change && (await store.startSending(operation, snapshot, false));
    if (sending !== undefined) {
      if (change?.to !== 'UNKNOWN') await store.record(sending, { to: 'UNKNOWN' });
      if (change !== undefined) await store.record(sending, change);
    }
    return operation.id;
  }

  /** An app that has no access to any merchant. */
  const createOtherApp = () =>
    gateway.direct.ask('mutation { createApp(input: {}) { ... on CreateAppSuccess { key } } }');

  const idOf = (uuid: string) => `mop_${merchant.rawId}.${uuid}`;

  async function listOfMerchant(args = '') {
    const { data, errors } = await gateway.ask(
      `{ merchant(id: "${merchant.id}") { list: moneyOperations${args} ${PAGE} } }`,
    );
    expect(errors).toBeUndefined();
    return data.merchant?.list as Page | undefined;
  }

  async function idsOf(args = ''): Promise<string[]> {
    return ((await listOfMerchant(args))?.edges ?? []).map(({ node }) => node.id);
  }

  test('a list has the pages of Relay’s algorithm, also if operations were recorded at once', async () => {
    const recorded: string[] = [];
    for (let count = 0; count < 5; count++) {
      recorded.push(
        await record({ to: 'UNKNOWN' }, count % 2 === 0 ? newCapture() : newCreation()),
      );
    }
    const [, second, third] = recorded;
    // Microseconds apart, or at once: then their ids decide.
    await opened.database.query(
      `UPDATE money_operation SET created_at = '2026-10-25T00:30:00.123456Z'::timestamptz
         + CASE id WHEN $1 THEN interval '1 microsecond' WHEN $2 THEN interval '-1 day' ELSE interval '0' END`,
      [second, third],
    );
    const tied = recorded.filter((id) => id !== second && id !== third).sort();
    const order = [second ?? '', ...tied.toReversed(), third ?? ''].map(idOf);
    const all = await listOfMerchant();
    expect(all?.edges.map(({ node }) => node.id)).toEqual(order);
    const cursors = new Map(all?.edges.map(({ cursor, node }) => [node.id, cursor]));
    const cases = [...relayArguments(order)];
    const fields = cases.map(
      (args, at) => `m${at}: moneyOperations${toText(args, cursors)} ${PAGE}`,
    );
    for (let start = 0; start < cases.length; start += AT_ONCE) {
      const some = fields.slice(start, start + AT_ONCE).join(' ');
      const { data } = await gateway.ask(`{ merchant(id: "${merchant.id}") { ${some} } }`);
      for (const [name, page] of Object.entries<Page>(data.merchant)) {
        const args = cases[Number(name.slice(1))] ?? {};
        const { ids, ...flags } = relayPage(order, args);
        const message = JSON.stringify(args);
        expect(
          page.edges.map(({ node }) => node.id),
          message,
        ).toEqual(ids);
        const startCursor = page.edges.at(0)?.cursor ?? null;
        const endCursor = page.edges.at(-1)?.cursor ?? null;
        expect(page.pageInfo, message).toEqual({ ...flags, startCursor, endCursor });
      }
    }
  });

  test('the next page follows a cursor whose operation was deleted', async () => {
    const older = await record();
    const deleted = await record();
    const page = await listOfMerchant('(first: 1)');
    expect(page?.edges.map(({ node }) => node.id)).toEqual([idOf(deleted)]);
    await opened.database.query('DELETE FROM money_operation WHERE id = $1', [deleted]);
    expect(await idsOf(`(after: "${page?.edges[0]?.cursor}")`)).toEqual([idOf(older)]);
  });

  test('a filter selects by status and time, and a released operation has no status', async () => {
    const prepared = await record();
    const unknown = await record({ to: 'UNKNOWN' });
    const succeeded = await record({ to: 'SUCCEEDED', evidence: 'READ_BACK' });
    const rejected = await record(REJECTED);
    const response = { kind: 'RELEASED', reason: RELEASED_REASON } as const;
    const released = await record({ to: 'UNKNOWN', response }, newCapture());
    await opened.database.query(`UPDATE money_operation SET state = 'RELEASED' WHERE id = $1`, [
      released,
    ]);
    await record(undefined, newCapture(), 'another');
    const by = (status: string) => idsOf(`(filter: { status: [${status}] })`);
    expect(await by('IN_PROGRESS')).toEqual([idOf(prepared)]);
    expect(await by('UNKNOWN')).toEqual([idOf(unknown)]);
    expect(await by('SUCCEEDED, REJECTED')).toEqual([rejected, succeeded].map(idOf));
    expect(await by('NOT_APPLIED')).toEqual([]);
    expect(await by('')).toEqual([]);
    expect(await idsOf()).toEqual([rejected, succeeded, unknown, prepared].map(idOf));
    const { data } = await gateway.ask(`{ node(id: "${idOf(released)}") { id } }`);
    expect(data.node).toBeNull();

    await opened.database.query(`UPDATE money_operation SET created_at = $2 WHERE id = $1`, [
      unknown,
      '2026-10-25T01:00:00Z',
    ]);
    const at = (limits: string) => idsOf(`(filter: { createdAt: { ${limits} } })`);
    expect(await at('from: "2026-10-25T01:00:00Z", to: "2026-10-25T01:00:00.001Z"')).toEqual([
      idOf(unknown),
    ]);
    expect(await at('to: "2026-10-25T01:00:00Z"')).toEqual([]);
  });

  test('an operation whose outcome is unknown is found without its key, from the record alone', async () => {
    const input = movementInput(await given(gateway.direct).transaction(1000), 300);
    gateway.proxy.onWrite = loseRequest;
    const unknown = { status: 'UNKNOWN', advice: 'RETRY_SAME_KEY' };
    expect((await submit(gateway.ask, 'capture', input)).operation).toMatchObject(unknown);
    gateway.reset();
    const { data } = await gateway.ask(
      `query ($id: ID!) { transaction(id: $id) { rawId moneyOperations { edges { node {
        idempotencyKey status advice transaction { id } merchant { id } } } } } }`,
      { id: input.transactionId },
    );
    const { rawId, moneyOperations } = data.transaction;
    const { idempotencyKey, transactionId } = input;
    const records = { transaction: { id: transactionId }, merchant: { id: merchant.id } };
    expect(moneyOperations.edges).toEqual([{ node: { ...unknown, ...records, idempotencyKey } }]);
    expect(gateway.proxy.requests).toEqual([
      `GET /transactions/${rawId}`,
      `GET /merchants/${merchant.rawId}`,
    ]);
    expect(await findOperation(gateway.ask, merchant.id, idempotencyKey)).toMatchObject(unknown);
    expect(gateway.posts()).toBe(0);
  });

  test('an app without access to the merchant sees no operation', async () => {
    const id = await record({ to: 'UNKNOWN' });
    const { data: made } = await createOtherApp();
    const query = `{ node(id: "${idOf(id)}") { ... on MoneyOperation { idempotencyKey merchant { id } } } }`;
    const own = await gateway.ask(query);
    expect(own.data.node).toMatchObject({ merchant: { id: merchant.id } });
    listed = 0;
    const others = await gateway.ask(query, {}, made.createApp.key);
    expect(others).toEqual({ status: 200, data: { node: null } });
    const list = `{ merchant(id: "${merchant.id}") { moneyOperations ${PAGE} } }`;
    const { data, errors } = await gateway.ask(list, {}, made.createApp.key);
    expect([data.merchant, errors?.[0]?.extensions.code]).toEqual([null, 'FORBIDDEN']);
    const ids = Array.from({ length: 100 }, () => idOf(id));
    const nodes = await gateway.ask(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      { ids },
      'no-such-key',
    );
    expect(new Set(nodes.errors?.map(({ extensions }) => extensions.code))).toEqual(
      new Set(['UNAUTHENTICATED']),
    );
    // A caller that may not read the merchant costs the store nothing.
    expect(listed).toBe(0);
  });

  test('an app without access does not make a settlement final', async () => {
    const { store } = opened;
    const id = await record({ to: 'UNKNOWN' });
    await store.settle(id, { ...SIGNED, applied: false });
    const { data: made } = await createOtherApp();
    const query = `{ node(id: "${idOf(id)}") { id } }`;
    expect((await gateway.ask(query, {}, made.createApp.key)).data.node).toBeNull();
    expect(await store.reopen(id, SIGNED)).toMatchObject({ state: 'UNKNOWN' });
  });

  test('an operation that was released and is sent again is listed as new', async () => {
    const input = movementInput(await given(gateway.direct).transaction(1000), 300);
    gateway.proxy.onWrite = answerWith(429, '');
    expect(await submit(gateway.ask, 'capture', input)).toMatchObject({ code: 'NOT_SENT' });
    gateway.proxy.onWrite = undefined;
    await record({ to: 'UNKNOWN' });
    const before = await listOfMerchant();
    const { operation } = await submit(gateway.ask, 'capture', input);
    expect(operation.status).toBe('SUCCEEDED');
    const since = await listOfMerchant(`(last: 5, before: "${before?.edges[0]?.cursor}")`);
    expect([before?.edges.length, since?.edges.length]).toEqual([1, 1]);
  });

  test('a list counts as a call of the request', async () => {
    const limited = await startProxiedGateway({
      store: keepOpen(opened.store),
      upstream: { ...patientGateway.upstream, allowance: { maxCalls: 3, maxBytes: 1 << 20 } },
    });
    const lists = [1, 2, 3].map((n) => `l${n}: moneyOperations { edges { cursor } }`);
    const { data, errors } = await limited.ask(
      `{ merchant(id: "${merchant.id}") { ${lists.join(' ')} } }`,
    );
    // The merchant is the first call.
    expect(Object.values(data.merchant).filter(Boolean)).toHaveLength(2);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_CALL_LIMIT']);
    await limited.close();
  });

  test('lists of one app leave connections of the store for another, and for captures', async () => {
    const held = signal();
    onListed = () => held.sent;
    const lists = Array.from(
      { length: 20 },
      (_, n) => `l${n}: moneyOperations { edges { cursor } }`,
    );
    listed = 0;
    const many = gateway.ask(`{ merchant(id: "${merchant.id}") { ${lists.join(' ')} } }`);
    await expect.poll(() => listed).toBe(2);
    const input = movementInput(await given(gateway.direct).transaction(1000), 300);
    expect((await submit(gateway.ask, 'capture', input)).operation.status).toBe('SUCCEEDED');
    expect(listed).toBe(2);
    held.send();
    const { data } = await many;
    expect(Object.values<Page>(data.merchant).map(({ edges }) => edges.length)).toContain(1);
    expect(listed).toBe(20);
  });

  test('no operation is shown if the service shows another merchant, or that there is none', async () => {
    const input = movementInput(await given(gateway.direct).transaction(1000), 300);
    const { operation } = await submit(gateway.ask, 'capture', input);
    const id = await record({ to: 'UNKNOWN' });
    const { rawId } = await given(gateway.direct).merchant('USD');
    expect(operation.status).toBe('SUCCEEDED');
    const query = `{ transaction(id: "${input.transactionId}") { moneyOperations ${PAGE} }
      node(id: "${idOf(id)}") { id } }`;
    const shown = async () => {
      const { data } = await gateway.ask(query);
      return [data.transaction.moneyOperations.edges.length, data.node];
    };
    expect(await shown()).toEqual([1, { id: idOf(id) }]);
    for (const answer of [
      answerWith(404, ''),
      answerWith(200, JSON.stringify({ merchant: { id: rawId } })),
    ]) {
      gateway.proxy.onRead = (forward, response, request) =>
        (request.url?.startsWith('/merchants/') ? answer : passOn)(forward, response, request);
      expect(await shown()).toEqual([0, null]);
    }
  });

  test('a settlement that a list has shown cannot be taken back, one that was taken back is not shown', async () => {
    const { store } = opened;
    const id = await record({ to: 'UNKNOWN' });
    await store.settle(id, { ...SIGNED, applied: false });
    await store.reopen(id, SIGNED);
    expect(await idsOf('(filter: { status: [UNKNOWN] })')).toEqual([idOf(id)]);
    await store.settle(id, { ...SIGNED, applied: false });
    expect(await idsOf('(filter: { status: [NOT_APPLIED] })')).toEqual([idOf(id)]);
    expect(await store.reopen(id, SIGNED)).toBe('RETURNED');
  });

  test('a settlement that is taken back while a list is read is not shown', async () => {
    const { store } = opened;
    const id = await record({ to: 'UNKNOWN' });
    await store.settle(id, { ...SIGNED, applied: false });
    onListed = () => store.reopen(id, SIGNED);
    const { data } = await gateway.ask(
      `{ merchant(id: "${merchant.id}") { moneyOperations { edges { node { status } } } } }`,
    );
    expect(data.merchant.moneyOperations.edges).toEqual([{ node: { status: 'UNKNOWN' } }]);
  });

  test('a settlement that a node has shown cannot be taken back', async () => {
    const { store } = opened;
    const id = await record({ to: 'UNKNOWN' });
    await store.settle(id, { ...SIGNED, applied: false });
    const { data } = await gateway.ask(
      `{ node(id: "${idOf(id)}") { ... on MoneyOperation { status } } }`,
    );
    expect(data.node).toEqual({ status: 'NOT_APPLIED' });
    expect(await store.reopen(id, SIGNED)).toBe('RETURNED');
  });
});

function toText(args: RelayArguments, cursors: ReadonlyMap<string, string>): string {
  const cursor = (id: string | undefined) => (id === undefined ? undefined : cursors.get(id));
  const { first, last, after, before } = args;
  const given = Object.entries({ first, last, after: cursor(after), before: cursor(before) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return given.length === 0 ? '' : `(${given.join(', ')})`;
}
