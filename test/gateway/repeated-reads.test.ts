import { describe, expect, test } from 'vitest';
import { patientGateway } from '../support/patience.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import {
  found,
  gatewayBefore,
  inTurn,
  repeating,
  reset,
  TRANSACTION,
} from './support/before-services.ts';

describe('a read', () => {
  test('that does not end in time is repeated', async () => {
    const silent: StubAnswer = () => {};
    const limits = { ...patientGateway.limits, getMs: 300 };
    const { ask, payments } = await gatewayBefore(
      { 'GET /transactions/t1': inTurn(silent, found) },
      { resilience: repeating },
      { limits },
    );
    expect((await ask(TRANSACTION)).data.transaction).toEqual({ rawId: 't1' });
    expect(payments.requests).toHaveLength(2);
  });

  test('is not repeated when the budget is used up', async () => {
    const small = { ...repeating, retryBudget: { ratio: 0, perSecond: 0 } };
    const { ask, payments } = await gatewayBefore(
      { 'GET /transactions/t1': reset },
      { resilience: small },
    );
    await ask(TRANSACTION);
    expect(payments.requests).toHaveLength(1);
  });
});
