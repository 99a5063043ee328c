import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AnyRecord } from '../sandbox/shop.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Bench, startBench } from './bench.ts';
import { IMPATIENT } from './creation.ts';
import { movements } from './movement.ts';

let bench: Bench;
const reports: string[] = [];
beforeAll(async () => {
  bench = await startBench({ ...IMPATIENT, report: (message) => reports.push(message) });
});
afterAll(() => bench?.close());
beforeEach(() => bench.reset());

/** Shows every trail as a test wants it. */
const showing =
  (change: (trail: AnyRecord[]) => AnyRecord[]): Fault =>
  async (forward, response) => {
    const { status, type, body } = await forward();
    const { transaction } = JSON.parse(String(body));
    const shown = { ...transaction, trail: change(transaction.trail) };
    response.writeHead(status, { 'content-type': type });
    response.end(JSON.stringify({ transaction: shown }));
  };

async function captured() {
  const id = await given(bench.stack).transaction(1000);
  const { move } = movements(bench.ask);
  await movements(bench.stack.ask).move('capture', id, 300, newKey());
  return { id, capture: (key: string) => move('capture', id, 300, key) };
}

test('an entry that gets its line later is not taken for a new one', async () => {
  const { capture } = await captured();
  const key = newKey();
  bench.proxy.onRead = showing((trail) => trail.map(({ lineId: _later, ...entry }) => entry));
  bench.proxy.onWrite = (_forward, response) => {
    response.destroy();
  };
  expect(await capture(key)).toMatchObject({ operation: { status: 'UNKNOWN' } });
  bench.reset();
  expect(await capture(key)).toMatchObject({ operation: { status: 'UNKNOWN' } });
});

test('an entry of another kind that lacks what it should have stops nothing', async () => {
  const { id, capture } = await captured();
  bench.proxy.onRead = showing((trail) => [...trail, { dispute: {}, created: '2026-01-01' }, {}]);
  bench.proxy.onWrite = async (forward, response) => {
    await forward();
    response.destroy();
  };
  expect((await capture(newKey())).operation).toMatchObject({ evidence: 'READ_BACK' });
  expect(await movements(bench.stack.ask).trail(id)).toHaveLength(2);
});

test('where what was done is not shown nothing is sent, and the operator is told', async () => {
  const id = await given(bench.stack).transaction(1000);
  const { move } = movements(bench.ask);
  await move('capture', id, 300, newKey());
  bench.reset();
  reports.length = 0;
  bench.proxy.onRead = showing(() => []);
  expect(await move('capture', id, 300, newKey())).toMatchObject({ code: 'NOT_SENT' });
  expect(bench.posts()).toBe(0);
  expect(reports).toEqual([
    expect.stringMatching(
      /^money operation \S{36} was not sent: the transaction does not show an entry/,
    ),
  ]);
});
