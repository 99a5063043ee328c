import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createShares, type Leave } from '../../src/gateway/upstream/shares.ts';

const never = () => () => {};

/** Takes as many places as an owner may have. */
function takeAll(shares: ReturnType<typeof createShares>, owner: string): Leave[] {
  const taken: Leave[] = [];
  for (let leave = shares.take(owner); leave !== undefined; leave = shares.take(owner)) {
    taken.push(leave);
  }
  return taken;
}

test('an owner alone takes half of the places, and each other one half of the rest', () => {
  const shares = createShares(64);
  const owners = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  expect(owners.map((owner) => takeAll(shares, owner).length)).toEqual([32, 16, 8, 4, 2, 1, 1, 0]);
});

test('a place that is given back twice is free once', () => {
  const shares = createShares(4);
  const [leave] = takeAll(shares, 'a');
  leave?.();
  leave?.();
  expect(takeAll(shares, 'a')).toHaveLength(1);
});

test('callers of one owner are served in their order, and owners take turns', async () => {
  const shares = createShares(2);
  const holders = [shares.take('x'), shares.take('y')];
  const order: string[] = [];
  const leaves: Leave[] = [];
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
    void shares.enter(name.charAt(0), never).then((leave) => {
      order.push(name);
      if (leave !== undefined) leaves.push(leave);
    });
  }
  for (let leave = holders[0]; leave !== undefined; leave = leaves.shift()) {
    leave();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a caller that stops waiting gets no place, and takes none from those behind it', async () => {
  const shares = createShares(1);
  const leave = shares.take('a');
  let stop = () => {};
  const stopped = shares.enter('b', (onPassed) => {
    stop = onPassed;
    return () => {};
  });
  const behind = shares.enter('b', never);
  stop();
  expect(await stopped).toBeUndefined();
  leave?.();
  expect(await behind).toBeTypeOf('function');
});

test('a caller that need not wait does not start its limit', async () => {
  const shares = createShares(1);
  const fail = () => {
    throw new Error('started');
  };
  expect(await shares.enter('a', fail)).toBeTypeOf('function');
});

interface Step {
  readonly owner: number;
  readonly action: 'enter' | 'leave' | 'stop';
  readonly pick: number;
}

const steps = fc.array(
  fc.record<Step>({
    owner: fc.nat({ max: 5 }),
    action: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'stop'),
    pick: fc.nat(),
  }),
  { maxLength: 150 },
);

/** Callers as a model of who holds places and who waits. */
async function play(size: number, moves: readonly Step[]): Promise<void> {
  const shares = createShares(size);
  const held: { readonly owner: string; readonly leave: Leave }[] = [];
  const waiting: { readonly owner: string; readonly stop: () => void }[] = [];
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const remove = <T>(list: T[], pick: number) => list.splice(pick % list.length, 1)[0];

  for (const { owner: number, action, pick } of moves) {
    const owner = `merchant ${number}`;
    if (action === 'enter') {
      let stop = () => {};
      const entered = shares.enter(owner, (onPassed) => {
        stop = onPassed;
        return () => {};
      });
      const caller = { owner, stop: () => stop() };
      waiting.push(caller);
      void entered.then((leave) => {
        waiting.splice(waiting.indexOf(caller), 1);
        if (leave !== undefined) held.push({ owner, leave });
      });
    } else if (action === 'leave' && held.length > 0) {
      remove(held, pick)?.leave();
    } else if (action === 'stop' && waiting.length > 0) {
      waiting[pick % waiting.length]?.stop();
    }
    await settled();
    const holders = new Set(held.map((each) => each.owner));
    const free = size - held.length;
    // Another merchant finds a place.
    expect(free).toBeGreaterThanOrEqual(Math.floor(size / 2 ** holders.size));
    // No place is kept from those who may have it.
    for (const each of waiting) {
      const own = held.filter((other) => other.owner === each.owner).length;
      expect(own).toBeGreaterThanOrEqual(free);
    }
  }
  // A caller that waits is served in the end.
  while (held.length > 0) {
    remove(held, 0)?.leave();
    await settled();
  }
  expect(waiting).toEqual([]);
}

test('however owners come and go, others find a place and nobody waits in vain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 64 }), steps, (size, moves) => play(size, moves)),
    { numRuns: 300 },
  );
});
