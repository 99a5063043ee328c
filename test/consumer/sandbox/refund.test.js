import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSandbox } from 'tillgraph/sandbox';

test('a refund that got no answer is made once, and the graph says so', async (t) => {
  const sandbox = await startSandbox({ gateway: true });
  t.after(() => sandbox.close());
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${sandbox.app.key}`,
  };
  const ask = async (query) =>
    (
      await fetch(sandbox.graphqlUrl, { method: 'POST', headers, body: JSON.stringify({ query }) })
    ).json();
  const paid = await sandbox.pay({ merchantId: '6a1d3c007469000061c5ff45', amount: 900 });
  const move = (name, units) =>
    ask(`mutation { result: ${name}Transaction(input: { transactionId: "${paid.transactionId}",
      idempotencyKey: "${name}", amount: { minorUnits: ${units}, currency: "EUR" } }) { __typename } }`);
  await move('capture', 900);
  await sandbox.faults.add({
    kind: 'drop',
    applied: true,
    route: '/transactions/:id/refunds',
    next: 1,
  });
  const { data } = await move('refund', 300);
  assert.match(data.result.__typename, /^(OutcomeUnknownError|RefundTransactionSuccess)$/);
  const again = await move('refund', 300);
  assert.equal(again.data.result.__typename, 'RefundTransactionSuccess');
  const shown = await ask(
    `{ transaction(id: "${paid.transactionId}") { refundedAmount { minorUnits } } }`,
  );
  assert.equal(shown.data.transaction.refundedAmount.minorUnits, 300);
});
