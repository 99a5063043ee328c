import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/testing/start.ts';

test('the gateway beside the sandbox does not take its work for too much load', async () => {
  const sandbox = await startSandbox({ gateway: true });
  try {
    for (let count = 0; count < 4; count++) {
      await sandbox.makeScene({ payments: [{ state: 'refunded', count: 100 }] });
      expect(await sandbox.graphql('{ __typename }')).toEqual({ data: { __typename: 'Query' } });
    }
  } finally {
    await sandbox.close();
  }
});
