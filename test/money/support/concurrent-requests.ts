import { expect } from 'vitest';
import type { GatewayGroup } from './gateway-group.ts';
import { movementInput, submit } from './money-client.ts';
import { repeatUntilSettled } from './repeat-until-settled.ts';

/**
 * Captures with one key in many concurrent requests. Fails if more than one POST is sent, or if
 * the requests return different outcomes.
 */
export async function sendOneKeyConcurrently(group: GatewayGroup, requests: number): Promise<void> {
  const transactionId = await group.ledger.createTransaction('capture');
  const input = movementInput(transactionId, 300);
  group.calls.length = 0;
  const callers = await Promise.all(
    Array.from({ length: requests }, (_, caller) =>
      repeatUntilSettled(() => submit(group.askAs(caller), 'capture', input)),
    ),
  );
  expect(group.posts()).toBe(1);
  const [{ operation, ...rest }] = callers.map(({ last }) => last);
  expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'ANSWERED' });
  for (const { last } of callers) {
    const { replayed } = last.operation;
    expect(last).toEqual({ ...rest, operation: { ...operation, replayed } });
  }
  const senders = callers.filter(({ results }) =>
    results.some((result) => result.operation?.replayed === false),
  );
  expect(senders).toHaveLength(1);
  expect(await group.ledger.entries(transactionId)).toEqual([{ kind: 'capture', amount: 300 }]);
}

/**
 * Captures twice as much of 1000 as is possible, in concurrent requests with a key each. Fails
 * unless exactly those that fit succeed, and all keys return the same when they are repeated.
 */
export async function captureConcurrently(group: GatewayGroup, requests: number): Promise<void> {
  const transactionId = await group.ledger.createTransaction('capture');
  group.calls.length = 0;
  const fitting = requests / 2;
  const amount = 1000 / fitting;
  const inputs = Array.from({ length: requests }, () => movementInput(transactionId, amount));
  const callers = await Promise.all(
    inputs.map((input, caller) =>
      repeatUntilSettled(() => submit(group.askAs(caller), 'capture', input)),
    ),
  );
  const results = callers.map(({ last }) => last);
  const successes = results.filter((result) => result.__typename.endsWith('Success'));
  const entries = await group.ledger.entries(transactionId);
  expect(entries).toEqual(Array(fitting).fill({ kind: 'capture', amount }));
  expect(successes).toHaveLength(fitting);
  expect(new Set(successes.map(({ trailEntry }) => trailEntry.line.id)).size).toBe(fitting);
  for (const result of results) {
    if (successes.includes(result)) continue;
    expect(result).toMatchObject({ code: 'AMOUNT_TOO_LARGE', maximum: { minorUnits: 0 } });
  }
  expect(group.posts()).toBe(fitting);
  // With two gateways, each key is now repeated at the other one.
  const repeated = await Promise.all(
    inputs.map((input, caller) =>
      repeatUntilSettled(() => submit(group.askAs(caller + 1), 'capture', input)),
    ),
  );
  for (const [index, { last }] of repeated.entries()) {
    const first = results[index];
    const { operation, trailEntry, code } = last;
    const replay = first.operation && { ...first.operation, replayed: true };
    expect([operation, trailEntry, code]).toEqual([replay, first.trailEntry, first.code]);
  }
  expect(group.posts()).toBe(fitting);
}

/** Fewer than the connections of a store, so that no request waits for one. */
const AT_ONCE = 5;

/** Captures once and repeats the request. Fails if a repeat returns anything else or sends a POST. */
export async function repeatSettledKey(group: GatewayGroup, repeats: number): Promise<void> {
  const transactionId = await group.ledger.createTransaction('capture');
  const input = movementInput(transactionId, 300);
  group.calls.length = 0;
  const first = await submit(group.askAs(0), 'capture', input);
  const replay = { ...first, operation: { ...first.operation, replayed: true } };
  expect(replay.operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'ANSWERED' });

  for (let done = 0; done < repeats; done += AT_ONCE) {
    const results = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, caller) =>
        repeatUntilSettled(() => submit(group.askAs(caller), 'capture', input)),
      ),
    );
    for (const { last } of results) expect(last).toEqual(replay);
  }
  const writes = group.calls.filter((call) => !call.startsWith('GET '));
  expect(writes).toEqual(['POST /transactions/:id/captures']);
}
