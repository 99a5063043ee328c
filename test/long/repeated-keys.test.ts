import { afterAll, beforeAll, describe, test } from 'vitest';
import { type GatewayGroup, gatewayGroups } from '../money/support/gateway-group.ts';
import { repeatAndCount } from '../money/support/repeated-key.ts';

describe.each(gatewayGroups)('with %s', (_name, start) => {
  let group: GatewayGroup;
  beforeAll(async () => {
    group = await start();
  });
  afterAll(() => group?.close());

  test('a thousand repeats of a settled key return the recorded outcome and send nothing', async () => {
    await repeatAndCount(group, 1_000);
  });
});
