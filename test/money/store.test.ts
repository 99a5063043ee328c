import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/gateway/operation/operation.ts';
import type { Rejection } from '../../src/gateway/operation/rejection.ts';
import type { Intent, OperationStore } from '../../src/gateway/operation/store/operation-store.ts';
import { createMemoryStore } from './memory-store.ts';
import { openPglite, openPostgres } from './open-stores.ts';

const LEASE_MS = 30_000;
/** A lease that has run out when it begins. */
const NO_LEASE_MS = -1;
const BEFORE = { amount: 100, pendingAmount: 100, trail: [] };
const LIST = { newest: null };
const REFUSAL: Rejection = { code: 'CONFLICT', message: 'no' };

/** The same rules, wherever operations are kept. */
const stores: [string, (leaseMs: number) => Promise<OperationStore>][] = [
  ['in memory', async (leaseMs) => createMemoryStore(() => Date.now(), leaseMs)],
  ['in PGlite', (leaseMs) => openPglite(leaseMs)],
  ['in PostgreSQL', (leaseMs) => openPostgres(undefined, leaseMs)],
];

let lanes = 0;

/** An intent on a transaction of its own. */
function fresh(change: Partial<Pick<Intent, 'merchantId' | 'key'>> = {}, lockKey = `t${++lanes}`) {
  return {
    merchantId: 'm',
    key: `key ${++lanes} of ${lockKey}`,
    kind: 'CAPTURE',
    lockKey,
    transactionId: lockKey,
    amount: 40,
    currency: 'EUR',
    fingerprint: 'ab'.repeat(32),
    ...change,
  } satisfies Intent;
}

/** An intent to create a transaction. */
function creation(change: Partial<Pick<Intent, 'key'>> = {}): Intent {
  return { ...fresh(change), kind: 'CREATE', lockKey: null, transactionId: null };
}

describe.each(stores)('a store %s', (_where, open) => {
  let store: OperationStore;
  let hasty: OperationStore;
  beforeAll(async () => {
    store = await open(LEASE_MS);
    hasty = await open(NO_LEASE_MS);
  });
  afterAll(async () => {
    await store?.close();
    await hasty?.close();
  });

  async function sending(from = store, intent: Intent = fresh()) {
    const { operation } = await from.claim(intent);
    const snapshot = intent.kind === 'CREATE' ? LIST : BEFORE;
    return (await from.startSending(operation, snapshot)) ?? operation;
  }

  test('a key is claimed once, and then known with what it was claimed for', async () => {
    const intent = fresh();
    const first = await store.claim(intent);
    expect(first).toMatchObject({ kind: 'CLAIMED', operation: { ...intent, state: 'PREPARED' } });
    const again = await store.claim({ ...fresh(intent, 'elsewhere'), amount: 7 });
    expect(again).toMatchObject({ kind: 'KNOWN', operation: { id: first.operation.id } });
    const elsewhere = await store.claim(fresh({ merchantId: 'another', key: intent.key }));
    expect(elsewhere.kind).toBe('CLAIMED');
  });

  test('of twenty claims at once of one key, one wins', async () => {
    const intent = fresh();
    const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim(intent)));
    expect(claims.filter(({ kind }) => kind === 'CLAIMED')).toHaveLength(1);
    expect(new Set(claims.map(({ operation }) => operation.id)).size).toBe(1);
  });

  test('a transaction takes one operation at a time; a create takes none', async () => {
    const intent = fresh();
    const { operation } = await store.claim(intent);
    const other = { ...intent, key: `other ${intent.key}` };
    expect(await store.claim(other)).toMatchObject({
      kind: 'BUSY',
      operation: { id: operation.id },
    });
    await store.record(operation, { to: 'REMOVED' });
    expect((await store.claim(other)).kind).toBe('CLAIMED');
    for (const key of ['a', 'b']) {
      const create = creation({ key: `${intent.key} ${key}` });
      expect((await store.claim(create)).kind).toBe('CLAIMED');
    }
  });

  test('what is claimed with a lease that ran out was never sent, and the key is free', async () => {
    const intent = fresh();
    const { operation } = await hasty.claim(intent);
    expect(await hasty.find(intent.merchantId, intent.key)).toBeUndefined();
    expect(await hasty.startSending(operation, BEFORE)).toBeUndefined();
    expect((await hasty.claim(intent)).kind).toBe('CLAIMED');
  });

  test('what is being sent when its lease runs out is unknown, and its owner may refuse nothing', async () => {
    const sent = await sending(hasty);
    const found = await hasty.find(sent.merchantId, sent.key);
    expect(found).toMatchObject({ state: 'UNKNOWN', posts: 1, epoch: sent.epoch + 1 });
    const refused = { to: 'REJECTED', evidence: 'ANSWERED', rejection: REFUSAL } as const;
    expect(await hasty.record(sent, refused)).toMatchObject({ state: 'UNKNOWN' });
    expect(await hasty.record(sent, { to: 'REMOVED' })).toMatchObject({ state: 'UNKNOWN' });
    const answered = { to: 'SUCCEEDED', evidence: 'ANSWERED' } as const;
    expect(await hasty.record(sent, answered)).toMatchObject({ state: 'SUCCEEDED' });
  });

  test('an end is final, and remembered with what it rests on', async () => {
    const sent = await sending();
    expect(sent).toMatchObject({ state: 'SENDING', posts: 1, snapshot: BEFORE });
    const change = { to: 'REJECTED', evidence: 'ANSWERED', rejection: REFUSAL } as const;
    await store.record(sent, change);
    const ended = await store.record(sent, { to: 'SUCCEEDED', evidence: 'ANSWERED' });
    expect(ended).toMatchObject({ state: 'REJECTED', evidence: 'ANSWERED', rejection: REFUSAL });
    expect(ended).toHaveProperty('resolvedAt', expect.any(Date));
    expect((await store.claim(fresh({}, sent.lockKey ?? undefined))).kind).toBe('CLAIMED');
  });

  test('a second POST is taken by one of those who try, and there is no third', async () => {
    const unknown = await store.record(await sending(), { to: 'UNKNOWN' });
    if (unknown === undefined) throw new Error('gone');
    const tries = await Promise.all([store.repost(unknown), store.repost(unknown)]);
    const [taken, ...more] = tries.filter((operation) => operation !== undefined);
    expect(more).toEqual([]);
    expect(taken).toMatchObject({ state: 'SENDING', posts: 2, epoch: unknown.epoch + 1 });
    if (taken === undefined) throw new Error('gone');
    expect(await store.record(taken, { to: 'REMOVED' })).toMatchObject({ state: 'SENDING' });
    const again = await store.record(taken, { to: 'UNKNOWN' });
    expect(again && (await store.repost(again))).toBeUndefined();
  });

  test('an entry proves one operation for ever', async () => {
    const found = { to: 'SUCCEEDED', evidence: 'READ_BACK', entryRef: `line ${++lanes}` } as const;
    const [first, second] = [await sending(), await sending()];
    await store.record(first, { to: 'UNKNOWN' });
    await store.record(second, { to: 'UNKNOWN' });
    expect(await store.record(first, found)).toMatchObject({ state: 'SUCCEEDED' });
    expect(await store.record(second, found)).toMatchObject({ state: 'UNKNOWN' });
    expect(await store.claimedEntries([found.entryRef, 'none'])).toEqual(new Set([found.entryRef]));
  });

  test('what has succeeded on a transaction is counted by kind and amount', async () => {
    const first = await sending();
    await store.record(first, { to: 'SUCCEEDED', evidence: 'ANSWERED' });
    const alike = await store.claim(fresh({}, first.lockKey ?? undefined));
    expect(await store.countSucceeded(alike.operation)).toBe(1);
    expect(await store.countSucceeded({ ...alike.operation, amount: 41 })).toBe(0);
    expect(await store.countSucceeded({ ...alike.operation, kind: 'REFUND' })).toBe(0);
  });

  test('an operator decides what is unknown, and nothing else', async () => {
    const sent = await sending();
    const decision = { applied: false, note: 'looked', by: 'anna' };
    expect(await store.settle(sent.id, decision)).toBeUndefined();
    await store.record(sent, { to: 'UNKNOWN' });
    const open = await store.list(true, 100);
    expect(open.map(({ id }) => id)).toContain(sent.id);
    expect(await store.settle(sent.id, decision)).toMatchObject({
      state: 'NOT_APPLIED',
      evidence: 'OPERATOR',
    });
    expect(await store.settle(sent.id, decision)).toBeUndefined();
    expect((await store.list(true, 100)).map(({ id }) => id)).not.toContain(sent.id);
  });

  test('what is listUnknown is walked in pages, and nothing is left out', async () => {
    const made = await Promise.all(Array.from({ length: 7 }, () => sending()));
    for (const each of made) await store.record(each, { to: 'UNKNOWN' });
    await store.record(made[0] as Operation, { to: 'UNKNOWN', needsOperator: true });
    await store.record(made[1] as Operation, { to: 'SUCCEEDED', evidence: 'ANSWERED' });
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const some = await store.listUnknown(after, 3);
      if (some.length === 0) break;
      seen.push(...some.map(({ id }) => id));
      after = some.at(-1)?.id;
    }
    const [, , ...open] = made;
    expect(seen).toEqual(expect.arrayContaining(open.map(({ id }) => id)));
    for (const { id } of made.slice(0, 2)) expect(seen).not.toContain(id);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('of what is open the oldest comes first', async () => {
    const [old, young] = [await sending(), await sending()];
    const open = (await store.list(true, 1_000)).map(({ id }) => id);
    expect(open.indexOf(old.id)).toBeLessThan(open.indexOf(young.id));
  });

  test('what proves an operation proves no other; of a create it is the transaction', async () => {
    const proof = `line of ${lanes}`;
    const decision = { applied: true, proof, note: 'looked', by: 'anna' };
    const [one, other] = [await sending(), await sending()];
    const create = () => sending(store, creation());
    const [created, another] = [await create(), await create()];
    for (const each of [one, other, created, another]) await store.record(each, { to: 'UNKNOWN' });
    expect(await store.settle(one.id, decision)).toMatchObject({ entryRef: proof });
    expect(await store.settle(other.id, decision)).toBe('PROOF_TAKEN');
    const paid = { ...decision, proof: `payment of ${lanes}` };
    expect(await store.settle(created.id, paid)).toMatchObject({
      state: 'SUCCEEDED',
      entryRef: null,
      transactionId: paid.proof,
    });
    expect(await store.settle(another.id, paid)).toBe('PROOF_TAKEN');
  });
});
