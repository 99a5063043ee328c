const assert = require('node:assert/strict');
const { test } = require('node:test');
const { startSandbox } = require('tillgraph/sandbox');

test('two sandboxes in a child process do not see each other', async () => {
  const [one, two] = await Promise.all([startSandbox(), startSandbox({ seed: 'empty' })]);
  await one.snapshots.take('start');
  const { merchant } = await one.makeScene({ payments: [{ state: 'captured' }] });
  const payout = await one.payouts.make({ merchantId: merchant.id });
  assert.equal(payout.currency, 'EUR');
  await assert.rejects(two.payouts.make({ merchantId: merchant.id }), {
    status: 404,
    name: 'ControlError',
  });
  await one.reset({ to: { snapshot: 'start' } });
  await assert.rejects(one.payouts.make({ merchantId: merchant.id }), /does not exist/);
  assert.deepEqual(await two.snapshots.list(), []);
  await Promise.all([one.close(), two.close()]);
});
