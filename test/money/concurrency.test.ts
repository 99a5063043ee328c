import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GatewayGroup, gatewayGroups } from './support/gateway-group.ts';
import { performMixedOperations } from './support/mixed-operations.ts';
import { movementInput, submit } from './support/money-client.ts';
import { repeatUntilSettled } from './support/repeat-until-settled.ts';
import { repeatAndCount } from './support/repeated-key.ts';

describe.each(gatewayGroups)('with %s', (_name, start) => {
  let group: GatewayGroup;
  beforeAll(async () => {
    group = await start();
  });
  afterAll(() => group?.close());

  test('a hundred concurrent requests with one key send one POST and return the same outcome', async () => {
    const transactionId = await group.ledger.createTransaction('capture');
    const input = movementInput(transactionId, 300);
    group.calls.length = 0;
    const callers = await Promise.all(
      Array.from({ length: 100 }, (_, caller) =>
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
  });

  test('of fifty concurrent captures of 40, those that fit into 1000 succeed and the others are rejected', async () => {
    const transactionId = await group.ledger.createTransaction('capture');
    group.calls.length = 0;
    const inputs = Array.from({ length: 50 }, () => movementInput(transactionId, 40));
    const callers = await Promise.all(
      inputs.map((input, caller) =>
        repeatUntilSettled(() => submit(group.askAs(caller), 'capture', input)),
      ),
    );
    const results = callers.map(({ last }) => last);
    const successes = results.filter((result) => result.__typename.endsWith('Success'));
    const entries = await group.ledger.entries(transactionId);
    expect(entries).toEqual(Array(25).fill({ kind: 'capture', amount: 40 }));
    expect(new Set(successes.map(({ trailEntry }) => trailEntry.line.id)).size).toBe(25);
    expect(successes).toHaveLength(25);
    for (const result of results) {
      if (!successes.includes(result)) {
        expect(result).toMatchObject({ code: 'AMOUNT_TOO_LARGE', maximum: { minorUnits: 0 } });
      }
    }
    expect(group.posts()).toBe(25);
    // With two gateways, each key is now repeated at the other one.
    const repeated = await Promise.all(
      inputs.map((input, caller) => submit(group.askAs(caller + 1), 'capture', input)),
    );
    for (const [index, { operation, trailEntry, code }] of repeated.entries()) {
      const first = results[index];
      const replay = first.operation && { ...first.operation, replayed: true };
      expect([operation, trailEntry, code]).toEqual([replay, first.trailEntry, first.code]);
    }
    expect(group.posts()).toBe(25);
  });

  test('concurrent captures, refunds and voids are exactly what the service has recorded', async () => {
    await performMixedOperations(group);
  });

  // Ten times as many are in `npm run test:long`.
  test('a hundred repeats of a settled key return the recorded outcome and send nothing', async () => {
    await repeatAndCount(group, 100);
  });
});
