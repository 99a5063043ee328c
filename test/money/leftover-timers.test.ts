import { createHook } from 'node:async_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { createMachineClock } from '../../src/gateway/money/engine/clock.ts';
import { given } from '../support/given.ts';
import { ownStore, startStack } from '../support/start-stack.ts';
import { movementInput, submit } from './support/money-client.ts';

/** Timers of this process that can still fire. */
function watchTimers() {
  const timers = new Set<number>();
  const hook = createHook({
    init: (id, type) => void (type === 'Timeout' && timers.add(id)),
    destroy: (id) => void timers.delete(id),
  }).enable();
  onTestFinished(() => void hook.disable());
  return async () => {
    // Node tells of several timers together, in a later turn.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    return timers.size;
  };
}

const ROUNDS = 10;

test('nothing is left of the time limits of requests that were answered', async () => {
  const stack = await startStack({ clock: createMachineClock(), store: await ownStore() });
  onTestFinished(() => stack.close());
  const countTimers = watchTimers();
  /** Some wait for the same run, some for another operation on the transaction. */
  const capture = async () => {
    const transaction = await given(stack).transaction(1000);
    const [input, other] = [movementInput(transaction, 300), movementInput(transaction, 200)];
    const captured = [input, input, input, other].map((one) => submit(stack.ask, 'capture', one));
    for (const { operation } of await Promise.all(captured)) {
      expect(operation).toMatchObject({ status: 'SUCCEEDED' });
    }
  };
  await capture();
  const before = await countTimers();
  for (let round = 0; round < ROUNDS; round++) await capture();
  // Connections to the database and to the services have timers, too.
  expect((await countTimers()) - before).toBeLessThan(ROUNDS);
});
