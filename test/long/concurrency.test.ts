import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  captureConcurrently,
  repeatSettledKey,
  sendOneKeyConcurrently,
} from '../money/support/concurrent-requests.ts';
import { type GatewayGroup, gatewayGroups } from '../money/support/gateway-group.ts';

describe.each(gatewayGroups)('with %s', (_name, start) => {
  let group: GatewayGroup;
  beforeAll(async () => {
    group = await start();
  });
  afterAll(() => group?.close());

  test('100 concurrent requests with one key send one POST and return the same outcome', () =>
    sendOneKeyConcurrently(group, 100));

  test('of 50 concurrent captures, those that fit succeed and the others are rejected', () =>
    captureConcurrently(group, 50));

  test('1,000 repeats of a settled key return the recorded outcome and send nothing', () =>
    repeatSettledKey(group, 1_000));
});
