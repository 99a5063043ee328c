import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSandbox } from 'tillgraph/sandbox';

test('a refund whose response is lost is made once, and the graph says so', async (t) => {
  const sandbox = await startSandbox({ gateway: true });
  t.after(() => sandbox.close());
  const paid = await sandbox.pay({ merchantId: '6a1d3c007469000061c5ff45', amount: 900 });
  const input = (key) => `input: { idempotencyKey: "${key}", transactionId: "${paid.transactionId}",
    amount: { minorUnits: 900, currency: "EUR" } }`;
  await sandbox.graphql(`mutation { captureTransaction(${input('capture-1')}) { __typename } }`);
  await sandbox.faults.add({ kind: 'drop', applied: true, route: '/transactions/:id/refunds' });
  const { data } = await sandbox.graphql(`mutation { refundTransaction(${input('refund-1')}) {
    ... on RefundTransactionSuccess { transaction { refundedAmount { minorUnits } } } } }`);
  assert.equal(data.refundTransaction.transaction.refundedAmount.minorUnits, 900);
});
