import { expect } from 'vitest';
import type { GatewayGroup } from './gateway-group.ts';
import { movementInput, submit } from './money-client.ts';
import { repeatUntilSettled } from './repeat-until-settled.ts';

/** Fewer than the connections of a store, so that no request waits for one. */
const AT_ONCE = 5;

/** Captures once and repeats the request. Fails if a repeat returns anything else or sends a POST. */
export async function repeatAndCount(group: GatewayGroup, repeats: number): Promise<void> {
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
