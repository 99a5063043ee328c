import { describe, expect, test } from 'vitest';
import { type Sharing, type Shown, startHeldMerchant } from './support/held-merchant.ts';

type Step = 'READ' | 'WRITE 0' | 'END 0' | 'WRITE 1' | 'END 1';

/** Every order of three reads and of two writes that begin and end; equal ones once. */
function* ordersOf(left: readonly Step[], order: readonly Step[] = []): Generator<readonly Step[]> {
  if (left.length === 0) yield order;
  for (const step of new Set(left)) {
    const follows = (after: Step) => order.includes(after);
    if (step === 'END 0' && !follows('WRITE 0')) continue;
    if (step === 'END 1' && !follows('WRITE 1')) continue;
    if (step === 'WRITE 1' && !follows('WRITE 0')) continue;
    const at = left.indexOf(step);
    yield* ordersOf(left.toSpliced(at, 1), [...order, step]);
  }
}

const orders = [...ordersOf(['READ', 'READ', 'READ', 'WRITE 0', 'END 0', 'WRITE 1', 'END 1'])];

/** Where the first of the reads in a row with this one is. */
function startOfRow(order: readonly Step[], at: number): number {
  return order[at - 1] === 'READ' ? startOfRow(order, at - 1) : at;
}

/**
 * Runs every order, until one is wrong. The service is read when a read begins and answers at the end, so everything
 * that may be joined is in flight. Returns the order in which a read has shown something else
 * than the first read in its row.
 */
async function runAll(sharing: Sharing, queryOf: (at: number) => string) {
  const held = await startHeldMerchant(sharing);
  const differing: (readonly Step[])[] = [];
  let [steps, applied] = [0, 0];
  for (const order of orders) {
    const reads: Promise<Shown>[] = [];
    const expected: Shown[] = [];
    const atRow = new Map<number, Shown>();
    const writes = new Map<string, Awaited<ReturnType<typeof held.write>>>();
    for (const [at, step] of order.entries()) {
      held.step = steps + at;
      const [kind, id = ''] = step.split(' ');
      if (kind === 'READ') {
        const row = startOfRow(order, at);
        const first = atRow.get(row) ?? { at: steps + row, writes: applied };
        atRow.set(row, first);
        expected.push(first);
        reads.push((await held.read(queryOf(at))).shown);
      } else if (kind === 'WRITE') writes.set(id, await held.write());
      else {
        await writes.get(id)?.end();
        applied++;
      }
    }
    held.releaseReads();
    const shown = await Promise.all(reads);
    if (JSON.stringify(shown) !== JSON.stringify(expected)) differing.push(order);
    steps += order.length;
    if (differing.length > 0) break;
  }
  return differing;
}

const query = '{ merchant(id: "m1") { name } }';
const same = () => query;
const different = (at: number) => `${query} # ${at}`;
const own = { reader: 'a', writer: 'a' };
const byCredential = { mode: 'operation', epoch: 'credential' } as const;

test('there are 105 orders', () => {
  expect(orders).toHaveLength(105);
});

describe('in every order of reads and writes, reads share exactly what no write separates', () => {
  test.each<[string, Sharing, (at: number) => string]>([
    ['equal queries', { ...own, coalesce: byCredential }, same],
    ['the read of different queries', { ...own, coalesce: byCredential }, different],
    [
      'the read of equal queries that share no operations',
      { ...own, coalesce: { mode: 'upstream', epoch: 'credential' } },
      same,
    ],
    [
      'equal queries of another credential, with epochs of the process',
      { reader: 'a', writer: 'b', coalesce: { mode: 'operation', epoch: 'process' } },
      same,
    ],
  ])('%s', async (_what, sharing, queryOf) => {
    expect(await runAll(sharing, queryOf)).toEqual([]);
  });
});

test.each<[string, (at: number) => string]>([
  ['equal', same],
  ['different', different],
])('without epochs, %s queries would show what was before a write', async (_what, queryOf) => {
  const spoil: Sharing['spoil'] = (epochs) => ({ ...epochs, raise: () => {} });
  expect(await runAll({ ...own, coalesce: byCredential, spoil }, queryOf)).not.toEqual([]);
});
