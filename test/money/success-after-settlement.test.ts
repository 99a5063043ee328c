import { expect, onTestFinished, test } from 'vitest';
import { passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { movementInput, submit } from './support/money-client.ts';
import { storesWithDatabase } from './support/open-stores.ts';
import { startProxiedGateway } from './support/proxied-gateway.ts';

test.each(storesWithDatabase)(
  'on %s: a success that arrives after the operator settled otherwise is returned and reported',
  async (_name, open) => {
    const { store, database } = await open();
    const reports: string[] = [];
    const gateway = await startProxiedGateway({
      store,
      report: (message) => reports.push(message),
    });
    onTestFinished(() => gateway.close());
    const input = movementInput(await given(gateway.direct).transaction(1000), 300);

    gateway.proxy.onWrite = async (...exchange) => {
      // The lease ends, and the operator settles the operation too early.
      const [{ id } = { id: '' }] = await database.query<{ id: string }>(
        `UPDATE money_operation SET state = 'UNKNOWN', epoch = epoch + 1, lease_until = NULL
         RETURNING id`,
      );
      await store.settle(id, { applied: false, note: 'too early', by: 'anna' });
      await passOn(...exchange);
    };
    expect(await submit(gateway.ask, 'capture', input)).toMatchObject({
      __typename: 'CaptureTransactionSuccess',
      operation: { status: 'SUCCEEDED' },
    });
    expect(reports).toEqual([
      expect.stringMatching(/^money operation \S{36} was applied, but is recorded as NOT_APPLIED$/),
    ]);
  },
);
