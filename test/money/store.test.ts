import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  Operation,
  Rejection,
  SnapshotEntry,
} from '../../src/gateway/money/engine/operation.ts';
import type { Intent, OperationStore } from '../../src/gateway/money/store/operation-store.ts';
import { createMemoryStore } from './support/memory-store.ts';
import { LIST_SNAPSHOT, newCapture, newCreation, TRAIL_SNAPSHOT } from './support/new-intent.ts';
import { openPglite, openPostgres } from './support/open-stores.ts';

const LEASE_MS = 600_000;
/** A lease that ends when it begins. */
const NO_LEASE_MS = -1;
const REJECTION: Rejection = { code: 'CONFLICT', message: 'no' };

/** The stores, which all follow the same rules. */
const stores: [string, (leaseMs: number) => Promise<OperationStore>][] = [
  ['in memory', async (leaseMs) => createMemoryStore(() => Date.now(), leaseMs)],
  ['in PGlite', (leaseMs) => openPglite(leaseMs)],
  ['in PostgreSQL', (leaseMs) => openPostgres(undefined, leaseMs)],
];

/** The operation that a store returned, which must exist. */
function existing<T>(operation: T | undefined): T {
  if (operation === undefined) throw new Error('The store returned no operation.');
  return operation;
}

describe.each(stores)('a store %s', (_name, open) => {
  let store: OperationStore;
  let withoutLease: OperationStore;
  beforeAll(async () => {
    store = await open(LEASE_MS);
    withoutLease = await open(NO_LEASE_MS);
  });
  afterAll(async () => {
    await store?.close();
    await withoutLease?.close();
  });

  async function sending(intent: Intent = newCapture(), from = store) {
    const { operation } = await from.claim(intent);
    const snapshot = intent.kind === 'CREATE' ? LIST_SNAPSHOT : TRAIL_SNAPSHOT;
    return existing(await from.startSending(operation, snapshot, false));
  }

  async function unknown(intent?: Intent): Promise<Operation> {
    return existing(await store.record(await sending(intent), { to: 'UNKNOWN' }));
  }

  test('a key is claimed once and is then known with the operation that claimed it', async () => {
    const intent = newCapture();
    const first = await store.claim(intent);
    expect(first).toMatchObject({ kind: 'CLAIMED', operation: { ...intent, state: 'PREPARED' } });
    const { key } = intent;
    const repeated = await store.claim({ ...newCapture(), key, amount: 7 });
    expect(repeated).toMatchObject({ kind: 'KNOWN', operation: { id: first.operation.id } });
    const ofOtherMerchant = await store.claim({ ...newCapture(), key, merchantId: 'another' });
    expect(ofOtherMerchant.kind).toBe('CLAIMED');
  });

  test('of twenty concurrent claims of one key, one succeeds', async () => {
    const intent = newCapture();
    const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim(intent)));
    expect(claims.filter(({ kind }) => kind === 'CLAIMED')).toHaveLength(1);
    expect(new Set(claims.map(({ operation }) => operation.id)).size).toBe(1);
  });

  test('a transaction has one open operation at a time; creations do not exclude each other', async () => {
    const intent = newCapture();
    const { operation } = await store.claim(intent);
    const other = { ...intent, key: `other ${intent.key}` };
    expect(await store.claim(other)).toMatchObject({
      kind: 'BUSY',
      operation: { id: operation.id },
    });
    await store.record(operation, { to: 'REMOVED' });
    expect((await store.claim(other)).kind).toBe('CLAIMED');
    for (const creation of [newCreation(), newCreation()]) {
      expect((await store.claim(creation)).kind).toBe('CLAIMED');
    }
  });

  test('a claim whose lease ends was never sent, and its key is free', async () => {
    const intent = newCapture();
    const { operation } = await withoutLease.claim(intent);
    expect(await withoutLease.find(intent.merchantId, intent.key)).toBeUndefined();
    expect(await withoutLease.startSending(operation, TRAIL_SNAPSHOT, false)).toBeUndefined();
    expect((await withoutLease.claim(intent)).kind).toBe('CLAIMED');
  });

  test('an operation whose lease ends while it is sent is UNKNOWN, and its owner can record only a success', async () => {
    const sent = await sending(newCapture(), withoutLease);
    const found = await withoutLease.find(sent.merchantId, sent.key);
    expect(found).toMatchObject({ state: 'UNKNOWN', posts: 1, epoch: sent.epoch + 1 });
    const rejected = { to: 'REJECTED', evidence: 'ANSWERED', rejection: REJECTION } as const;
    expect(await withoutLease.record(sent, rejected)).toMatchObject({ state: 'UNKNOWN' });
    expect(await withoutLease.record(sent, { to: 'REMOVED' })).toMatchObject({ state: 'UNKNOWN' });
    const answered = { to: 'SUCCEEDED', evidence: 'ANSWERED' } as const;
    expect(await withoutLease.record(sent, answered)).toMatchObject({ state: 'SUCCEEDED' });
  });

  test('an outcome is final, is stored with its evidence, and frees the transaction', async () => {
    const intent = newCapture();
    const sent = await sending(intent);
    expect(sent).toMatchObject({ state: 'SENDING', posts: 1, snapshot: TRAIL_SNAPSHOT });
    const rejected = { to: 'REJECTED', evidence: 'ANSWERED', rejection: REJECTION } as const;
    await store.record(sent, rejected);
    const ended = await store.record(sent, { to: 'SUCCEEDED', evidence: 'ANSWERED' });
    expect(ended).toMatchObject({ state: 'REJECTED', evidence: 'ANSWERED', rejection: REJECTION });
    expect(ended).toHaveProperty('resolvedAt', expect.any(Date));
    expect((await store.claim({ ...intent, key: `next ${intent.key}` })).kind).toBe('CLAIMED');
  });

  test('one of two concurrent attempts gets the second POST, and there is no third', async () => {
    const operation = await unknown();
    const attempts = await Promise.all([store.repost(operation, 2), store.repost(operation, 2)]);
    const [taken, ...more] = attempts.filter((attempt) => attempt !== undefined);
    expect(more).toEqual([]);
    expect(taken).toMatchObject({ state: 'SENDING', posts: 2, epoch: operation.epoch + 1 });
    const second = existing(taken);
    expect(await store.record(second, { to: 'REMOVED' })).toMatchObject({ state: 'SENDING' });
    const unknownAgain = existing(await store.record(second, { to: 'UNKNOWN' }));
    expect(await store.repost(unknownAgain, 2)).toBeUndefined();
  });

  const entry = (name: string): SnapshotEntry => ({
    line: `line of ${name}`,
    properties: `properties of ${name}`,
    kind: 'CAPTURE',
    amount: 40,
  });

  test('a trail entry proves one operation only', async () => {
    const [first, second, third] = [await unknown(), await unknown(), await unknown()];
    const own = entry(first.key);
    const found = { to: 'SUCCEEDED', evidence: 'READ_BACK', entry: own } as const;
    const { line, properties } = own;
    expect(await store.record(first, found)).toMatchObject({
      state: 'SUCCEEDED',
      entry: { line, properties },
    });
    // The same entry by its line, and by its properties.
    const byLine = { ...own, properties: 'others' };
    const byProperties = { ...own, line: null };
    expect(await store.record(second, { ...found, entry: byLine })).toMatchObject({
      state: 'UNKNOWN',
    });
    expect(await store.record(third, { ...found, entry: byProperties })).toMatchObject({
      state: 'UNKNOWN',
    });
    expect(await store.knownEntries(existing(first.transactionId ?? undefined))).toEqual({
      claimed: [{ line, properties }],
      seen: [],
    });
  });

  test('a response that shows the entry of another operation has to be confirmed', async () => {
    const first = await unknown();
    const claimed = { to: 'SUCCEEDED', evidence: 'READ_BACK', entry: entry(first.key) } as const;
    await store.record(first, claimed);
    expect(await store.record(await sending(), { ...claimed, evidence: 'ANSWERED' })).toMatchObject(
      {
        state: 'UNKNOWN',
        response: { kind: 'ACCEPTED' },
      },
    );
  });

  test('succeeded operations of a transaction are listed by kind and amount, with their entries', async () => {
    const intent = newCapture();
    const first = await sending(intent);
    const own = entry(first.key);
    const { line, properties } = own;
    await store.record(first, { to: 'SUCCEEDED', evidence: 'ANSWERED', entry: own });
    const { operation } = await store.claim({ ...intent, key: `next ${intent.key}` });
    expect(await store.listSucceeded(operation)).toEqual([
      { id: first.id, entry: { line, properties }, seen: null, settled: false },
    ]);
    expect(await store.listSucceeded({ ...operation, amount: 41 })).toEqual([]);
    expect(await store.listSucceeded({ ...operation, kind: 'REFUND' })).toEqual([]);
  });

  test('a movement starts as the first one only if none of its kind and amount has succeeded', async () => {
    const intent = newCapture();
    const start = async (wanted: Intent) => {
      const { key } = newCapture();
      const { operation } = await store.claim({ ...wanted, key });
      const sending = await store.startSending(operation, TRAIL_SNAPSHOT, true);
      await store.record(operation, { to: 'REMOVED' });
      return sending?.state;
    };
    expect(await start(intent)).toBe('SENDING');
    const first = await sending(intent);
    await store.record(first, { to: 'SUCCEEDED', evidence: 'ANSWERED' });
    expect(await start(intent)).toBeUndefined();
    expect(await start({ ...intent, amount: intent.amount + 1 })).toBe('SENDING');
    expect(await start({ ...intent, kind: 'REFUND' })).toBe('SENDING');
    expect(await start({ ...intent, transactionId: 'another' })).toBe('SENDING');
  });

  test('entries of which it is not known to which operation they belong are seen', async () => {
    const intent = newCapture();
    const first = await sending(intent);
    const seen = [entry('a'), entry('b')];
    await store.record(first, { to: 'SUCCEEDED', evidence: 'ANSWERED', seen });
    expect(await store.knownEntries(intent.transactionId)).toEqual({ claimed: [], seen });
    expect(await store.listSucceeded({ ...first, transactionId: intent.transactionId })).toEqual([
      { id: first.id, entry: null, seen, settled: false },
    ]);
  });

  const RELEASED = {
    to: 'UNKNOWN',
    response: { kind: 'RELEASED', reason: { code: 'NOT_SENT', message: 'not now' } },
  } as const;

  /** An operation that the service did not process. */
  async function released(intent: Intent = newCapture(), from = store): Promise<Operation> {
    const answered = existing(await from.record(await sending(intent, from), RELEASED));
    return existing(await from.record(answered, { to: 'RELEASED' }));
  }

  test('a released operation keeps its key and its first snapshot, and frees the lock key', async () => {
    const intent = newCapture();
    const operation = await released(intent);
    expect(operation).toMatchObject({ state: 'RELEASED', snapshot: TRAIL_SNAPSHOT, posts: 1 });
    expect((await store.list(true, 100)).map(({ id }) => id)).not.toContain(operation.id);
    expect(await store.claim(intent)).toMatchObject({ kind: 'KNOWN', operation });
    const other = { ...intent, key: `other ${intent.key}` };
    expect(await store.claim(other)).toMatchObject({ kind: 'CLAIMED' });
    expect(await store.retake(operation)).toMatchObject({
      kind: 'BUSY',
      operation: { key: other.key },
    });
  });

  test('a released operation is taken up again once, and what is never sent releases it again', async () => {
    const operation = await released();
    const attempts = await Promise.all([store.retake(operation), store.retake(operation)]);
    const [taken, gone] = attempts.sort((a, b) => (a.kind > b.kind ? -1 : 1));
    expect(gone).toEqual({ kind: 'GONE' });
    if (taken?.kind !== 'TAKEN') throw new Error('The operation was not taken up.');
    const { epoch } = operation;
    expect(taken.operation).toMatchObject({ state: 'UNKNOWN', epoch: epoch + 1 });
    expect(taken.operation.response).toEqual(RELEASED.response);
    const sent = existing(await store.repost(taken.operation, 1));
    expect(sent).toMatchObject({ state: 'SENDING', posts: 1, snapshot: TRAIL_SNAPSHOT });
    expect(await store.record(sent, { to: 'REMOVED' })).toMatchObject({ state: 'RELEASED' });
  });

  test('the response to an earlier POST is forgotten when the lease of a later one ends', async () => {
    const operation = await released(newCapture(), withoutLease);
    const taken = await withoutLease.retake(operation);
    if (taken.kind !== 'TAKEN') throw new Error('The operation was not taken up.');
    await withoutLease.repost(taken.operation, 1);
    expect(await withoutLease.find(operation.merchantId, operation.key)).toMatchObject({
      state: 'UNKNOWN',
      response: null,
    });
  });

  test('the operator can settle an UNKNOWN operation, and no other', async () => {
    const sent = await sending();
    const settlement = { applied: false, note: 'checked', by: 'anna' };
    expect(await store.settle(sent.id, settlement)).toBeUndefined();
    await store.record(sent, { to: 'UNKNOWN' });
    const open = await store.list(true, 100);
    expect(open.map(({ id }) => id)).toContain(sent.id);
    expect(await store.settle(sent.id, settlement)).toMatchObject({
      state: 'NOT_APPLIED',
      evidence: 'OPERATOR',
    });
    expect(await store.settle(sent.id, settlement)).toBeUndefined();
    expect((await store.list(true, 100)).map(({ id }) => id)).not.toContain(sent.id);
  });

  test('a list of unknown operations contains each one that a read may resolve once, on all its pages together', async () => {
    const operations = await Promise.all(Array.from({ length: 7 }, () => unknown()));
    const [forOperator, succeeded, ...others] = operations;
    await store.record(existing(forOperator), { to: 'UNKNOWN', needsOperator: true });
    await store.record(existing(succeeded), { to: 'SUCCEEDED', evidence: 'ANSWERED' });
    const listed: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.listUnknown(after, 3);
      listed.push(...page.map(({ id }) => id));
      after = page.at(-1)?.id;
    } while (after !== undefined);
    expect(listed).toEqual(expect.arrayContaining(others.map(({ id }) => id)));
    expect(listed).not.toContain(existing(forOperator).id);
    expect(listed).not.toContain(existing(succeeded).id);
    expect(new Set(listed).size).toBe(listed.length);
  });

  test('open operations are listed oldest first', async () => {
    const [older, newer] = [await sending(), await sending()];
    const open = (await store.list(true, 1_000)).map(({ id }) => id);
    expect(open.indexOf(older.id)).toBeLessThan(open.indexOf(newer.id));
  });

  test('the operator can use a line, or a created transaction, as the proof of one operation only', async () => {
    const [one, other] = [await unknown(), await unknown()];
    const [created, another] = [await unknown(newCreation()), await unknown(newCreation())];
    const byLine = { applied: true, proof: `line of ${one.key}`, note: 'checked', by: 'anna' };
    expect(await store.settle(one.id, byLine)).toMatchObject({
      entry: { line: byLine.proof },
    });
    expect(await store.settle(other.id, byLine)).toBe('PROOF_TAKEN');
    const byTransaction = { ...byLine, proof: `transaction of ${created.key}` };
    expect(await store.settle(created.id, byTransaction)).toMatchObject({
      state: 'SUCCEEDED',
      entry: null,
      transactionId: byTransaction.proof,
    });
    expect(await store.settle(another.id, byTransaction)).toBe('PROOF_TAKEN');
  });
});
