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
  const inbox = one.inbox('orders');
  const waiting = inbox.next();
  await fetch(inbox.url, { method: 'POST', body: 'hello' });
  assert.equal((await waiting).body, 'hello');
  assert.deepEqual(await two.inbox('orders').list(), []);
  assert.equal((await inbox.respondWith({ status: 500 })).status, 500);
  await inbox.clear();
  assert.deepEqual(await inbox.list(), []);
  await assert.rejects(one.inbox('').next(), /missing/);
  await Promise.all([one.close(), two.close()]);
});
