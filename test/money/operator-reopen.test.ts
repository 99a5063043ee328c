import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  Operation,
  Snapshot,
  SnapshotEntry,
  TrailSnapshot,
} from '../../src/gateway/money/engine/operation.ts';
import type { Intent } from '../../src/gateway/money/store/operation-store.ts';
import { newCapture, newCreation } from './support/new-intent.ts';
import { type OpenedStore, storesWithDatabase } from './support/open-stores.ts';

const EMPTY: TrailSnapshot = {
  amount: 100,
  pendingAmount: 100,
  capturedAmount: 0,
  refundedAmount: 0,
  voidedAmount: 0,
  trail: [],
};
const SIGNED = { by: 'anna', note: 'checked' };
const UNKNOWN = { to: 'UNKNOWN', response: null } as const;

let lines = 0;

/** A new entry of a capture of 40. */
function newEntry(): SnapshotEntry {
  lines++;
  return { line: `line ${lines}`, properties: `entry ${lines}`, kind: 'CAPTURE', amount: 40 };
}

describe.each(storesWithDatabase)('on %s', (_name, open) => {
  let all: OpenedStore & ReturnType<typeof operations>;
  beforeAll(async () => {
    const opened = await open();
    all = { ...opened, ...operations(opened) };
  });
  afterAll(() => all?.store.close());

  /** A capture that the operator has settled as not applied. */
  async function settled() {
    const intent = newCapture();
    const unknown = await all.sendUnknown(intent);
    await all.store.settle(unknown.id, { ...SIGNED, applied: false });
    return { ...all, intent, id: unknown.id };
  }

  /** An intent on the same transaction, with another key. */
  const follower = (intent: Intent) => ({ ...intent, key: newCapture().key }) as Intent;

  test('a settlement is taken back, and everything that it had set', async () => {
    const { store, database, sendUnknown } = all;
    const intent = newCapture();
    const unknown = await sendUnknown(intent);
    const entry = newEntry();
    await store.settle(unknown.id, { ...SIGNED, applied: true, entry, verified: true });
    await store.sweep({ retentionDays: 35, ownMs: 0 });
    const reopened = await store.reopen(unknown.id, SIGNED);
    expect(reopened).toEqual({
      ...unknown,
      epoch: unknown.epoch + 2,
      sinceSendingMs: expect.any(Number),
    });
    const [row] = await database.query(
      'SELECT ended_elapsed, entry_line, entry_properties, seen FROM money_operation WHERE id = $1',
      [unknown.id],
    );
    expect(row).toEqual({
      ended_elapsed: null,
      entry_line: null,
      entry_properties: null,
      seen: null,
    });
    expect((await store.history(unknown.id)).at(-1)).toMatchObject({
      from: 'SUCCEEDED',
      to: 'UNKNOWN',
      detail: { ...SIGNED, reopened: true },
    });
    const again = { ...SIGNED, applied: true, entry, verified: true };
    expect(await store.settle(unknown.id, again)).toMatchObject({
      state: 'SUCCEEDED',
      entry: { line: entry.line, properties: entry.properties },
    });
  });

  test('the transaction of a new transaction is forgotten', async () => {
    const { store, sendUnknown } = all;
    const { id } = await sendUnknown(newCreation(), { newest: null });
    await store.settle(id, { ...SIGNED, applied: true, proof: 'created' });
    expect(await store.reopen(id, SIGNED)).toMatchObject({ state: 'UNKNOWN', transactionId: null });
  });

  test('only a settlement of the operator is taken back', async () => {
    const { store, sendUnknown } = all;
    const unknown = await sendUnknown(newCapture());
    expect(await store.reopen(unknown.id, SIGNED)).toBe('NOT_SETTLED');
    await store.record(unknown, { to: 'SUCCEEDED', evidence: 'READ_BACK', entry: newEntry() });
    expect(await store.reopen(unknown.id, SIGNED)).toBe('NOT_SETTLED');
  });

  test('a settlement that a caller was told of stays', async () => {
    const { store, intent, id } = await settled();
    const operation = await store.find(intent.merchantId, intent.key);
    expect(operation && (await store.markReturned(operation))).toBe(false);
    expect(await store.reopen(id, SIGNED)).toBe('RETURNED');
    expect((await store.viewOne(id))?.operation.state).toBe('NOT_APPLIED');
  });

  test('nobody is told of a settlement that was taken back, even if there is a new one', async () => {
    const { store, intent, id } = await settled();
    const read = await store.find(intent.merchantId, intent.key);
    await store.reopen(id, SIGNED);
    expect(read && (await store.markReturned(read))).toBe(true);
    await store.settle(id, { ...SIGNED, applied: true });
    expect(read && (await store.markReturned(read))).toBe(true);
    expect(await store.reopen(id, SIGNED)).toMatchObject({ state: 'UNKNOWN' });
  });

  test.each(['PREPARED', 'SENDING', 'UNKNOWN'])(
    'a settlement stays while an operation on the same lock key is %s',
    async (state) => {
      const { store, claim, send, sendUnknown, intent, id } = await settled();
      const begin = { PREPARED: claim, SENDING: send, UNKNOWN: sendUnknown }[state] ?? claim;
      await begin(follower(intent));
      expect(await store.reopen(id, SIGNED)).toBe('FOLLOWED');
      expect((await store.viewOne(id))?.operation.state).toBe('NOT_APPLIED');
    },
  );

  test('a settlement stays once an operation on the same lock key has succeeded', async () => {
    const { store, send, intent, id } = await settled();
    const later = await send(follower(intent));
    await store.record(later, { to: 'SUCCEEDED', evidence: 'ANSWERED' });
    expect(await store.reopen(id, SIGNED)).toBe('FOLLOWED');
    expect((await store.viewOne(id))?.operation).toMatchObject({ state: 'NOT_APPLIED' });
  });

  test('a settlement stays once an operation that was released before has succeeded', async () => {
    const { store, sendUnknown, release, intent } = await settled();
    const released = await release(follower(intent));
    const { id } = await sendUnknown(follower(intent));
    await store.settle(id, { ...SIGNED, applied: false });
    const retaken = await store.retake(released);
    if (retaken.kind !== 'TAKEN') throw new Error(retaken.kind);
    const change = { to: 'SUCCEEDED', evidence: 'READ_BACK', entry: newEntry() } as const;
    await store.record(retaken.operation, change);
    expect(await store.reopen(id, SIGNED)).toBe('FOLLOWED');
  });

  test('operations that succeeded earlier, moved nothing, or have another lock key do not matter', async () => {
    const { store, send, sendUnknown, release } = all;
    const intent = newCapture();
    const earlier = await send(intent);
    await store.record(earlier, { to: 'SUCCEEDED', evidence: 'ANSWERED', entry: newEntry() });
    const { id } = await sendUnknown(follower(intent));
    await store.settle(id, { ...SIGNED, applied: false });

    const rejected = await send(follower(intent));
    const rejection = { code: 'CONFLICT', message: '' } as const;
    await store.record(rejected, { to: 'REJECTED', evidence: 'ANSWERED', rejection });
    const settledLater = await sendUnknown(follower(intent));
    await store.settle(settledLater.id, { ...SIGNED, applied: false });
    await release(follower(intent));
    const other = await send(newCapture());
    await store.record(other, { to: 'SUCCEEDED', evidence: 'ANSWERED', entry: newEntry() });
    expect(await store.reopen(id, SIGNED)).toMatchObject({ id, state: 'UNKNOWN' });
    // Two open operations never share a lock key.
    expect(await store.reopen(settledLater.id, SIGNED)).toBe('FOLLOWED');
  });

  test('an entry is settled only if every operation that may have it keeps one', async () => {
    const { store, send, sendUnknown } = all;
    const intent = newCapture();
    const [one, two, three] = [newEntry(), newEntry(), newEntry()];
    for (let count = 0; count < 2; count++) {
      const sent = await send(follower(intent));
      const seen = [one, two, three];
      await store.record(sent, { to: 'SUCCEEDED', evidence: 'ANSWERED', seen });
    }
    const first = await sendUnknown(follower(intent));
    const settlement = { ...SIGNED, applied: true, verified: true };
    expect(await store.settle(first.id, { ...settlement, entry: two })).toMatchObject({
      entry: { line: two.line },
    });
    const second = await sendUnknown(follower(intent));
    expect(await store.settle(second.id, { ...settlement, entry: two })).toBe('PROOF_TAKEN');
    const noLine = { ...two, line: null };
    expect(await store.settle(second.id, { ...settlement, entry: noLine })).toBe('PROOF_TAKEN');
    for (const entry of [one, three]) {
      expect(await store.settle(second.id, { ...settlement, entry })).toBe('PROOF_TAKEN');
    }
    const entry = newEntry();
    expect(await store.settle(second.id, { ...settlement, entry })).toMatchObject({
      entry: { line: entry.line },
    });
  });

  test('only an entry that others wait for is waived, and then they do not', async () => {
    const { store, send, sendUnknown } = all;
    const intent = newCapture();
    const unknown = await sendUnknown(intent);
    const waiver = { ...SIGNED, verified: true };
    expect(await store.waive(unknown.id, waiver)).toBeUndefined();
    await store.settle(unknown.id, { ...SIGNED, applied: true });
    // Nothing waits for the entry of what the operator settled.
    expect(await store.waive(unknown.id, waiver)).toBeUndefined();

    const ids = async () =>
      (await store.listSucceeded({ ...intent, ...CAPTURE })).map(({ id }) => id);
    for (const known of [{ entry: newEntry() }, { seen: [newEntry(), newEntry()] }]) {
      const sent = await send(follower(intent));
      await store.record(sent, { to: 'SUCCEEDED', evidence: 'ANSWERED', ...known });
      expect(await ids()).toContain(sent.id);
      expect(await store.waive(sent.id, waiver)).toMatchObject({ id: sent.id, state: 'SUCCEEDED' });
      expect(await ids()).not.toContain(sent.id);
      expect((await store.viewOne(sent.id))?.waived).toBe(true);
      expect((await store.history(sent.id)).at(-1)?.detail).toEqual({ ...waiver, waived: true });
      expect(await store.waive(sent.id, waiver)).toBeUndefined();
    }
  });

  test('after a movement that was waived, the next one starts as the first one', async () => {
    const intent = newCapture();
    const waived = await all.send(intent);
    await all.store.record(waived, { to: 'SUCCEEDED', evidence: 'ANSWERED', entry: newEntry() });
    await all.store.waive(waived.id, { ...SIGNED, verified: true });
    expect((await all.send(follower(intent), EMPTY, true)).state).toBe('SENDING');
  });
});

const CAPTURE = { kind: 'CAPTURE', amount: 40 } as const;

/** Brings operations into the states that the tests need. */
function operations({ store }: OpenedStore) {
  async function claim(intent: Intent): Promise<Operation> {
    const claimed = await store.claim(intent);
    if (claimed.kind !== 'CLAIMED') throw new Error(claimed.kind);
    return claimed.operation;
  }
  async function send(intent: Intent, snapshot: Snapshot = EMPTY, ifFirst = false) {
    const sending = await store.startSending(await claim(intent), snapshot, ifFirst);
    if (sending === undefined) throw new Error('The claim was lost.');
    return sending;
  }
  async function sendUnknown(intent: Intent, snapshot: Snapshot = EMPTY): Promise<Operation> {
    const unknown = await store.record(await send(intent, snapshot), UNKNOWN);
    if (unknown === undefined) throw new Error('The operation is gone.');
    return unknown;
  }
  async function release(intent: Intent): Promise<Operation> {
    const reason = { code: 'NOT_SENT', message: '' } as const;
    const response = { kind: 'RELEASED', reason } as const;
    const unknown = await store.record(await send(intent), { to: 'UNKNOWN', response });
    const released = unknown && (await store.record(unknown, { to: 'RELEASED' }));
    if (released?.state !== 'RELEASED') throw new Error('It was not released.');
    return released;
  }
  return { claim, send, sendUnknown, release };
}
