import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  captureConcurrently,
  repeatSettledKey,
  sendOneKeyConcurrently,
} from './support/concurrent-requests.ts';
import { type GatewayGroup, gatewayGroups } from './support/gateway-group.ts';
import { performMixedOperations } from './support/mixed-operations.ts';

// The same with more requests is in `npm run test:long`.
describe.each(gatewayGroups)('with %s', (_name, start) => {
  let group: GatewayGroup;
  beforeAll(async () => {
    group = await start();
  });
  afterAll(() => group?.close());

  test('30 concurrent requests with one key send one POST and return the same outcome', () =>
    sendOneKeyConcurrently(group, 30));

  test('of 20 concurrent captures, those that fit succeed and the others are rejected', () =>
    captureConcurrently(group, 20));

  test('concurrent captures, refunds and voids are exactly what the service has recorded', () =>
    performMixedOperations(group));

  test('100 repeats of a settled key return the recorded outcome and send nothing', () =>
    repeatSettledKey(group, 100));
});
