import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/testing/start.ts';
import { rest } from '../support/rest.ts';

const KEY = 'Must be 1 to 200 printable ASCII characters without spaces';

test.each<[unknown, string]>([
  [{ seed: 'x' }, '`seed`: Must be one of "demo", "empty"'],
  [{ demoKey: '' }, `\`demoKey\`: ${KEY}`],
  [{ demoKey: 'a b' }, `\`demoKey\`: ${KEY}`],
  [{ demoKey: 'ü' }, `\`demoKey\`: ${KEY}`],
  [{ demoKey: 'x'.repeat(201) }, `\`demoKey\`: ${KEY}`],
  [{ gateway: 'yes' }, '`gateway`: Must be true or false'],
  [{ log: 'all' }, '`log`: Must be a function'],
  [{ data: 5 }, '`data`: Must be a string'],
  [{ data: '' }, '`data`: Must not be empty'],
  [{ foo: 1, bar: 2 }, 'there is no option `foo`, `bar`'],
  [[], 'the options must be an object'],
  [null, 'the options must be an object'],
])('%j is rejected with a message that names what is wrong', async (options, message) => {
  // @ts-expect-error The compiler knows that these are not options.
  await expect(startSandbox(options)).rejects.toThrow(`startSandbox: ${message}.`);
});

test('a new sandbox has stale reads, too', async () => {
  const sandbox = await startSandbox({ seed: 'empty' });
  try {
    await sandbox.faults.add({ kind: 'stale', agoMs: 60_000 });
    expect((await rest(sandbox.paymentsUrl, sandbox.app.key).get('/me')).status).toBe(200);
  } finally {
    await sandbox.close();
  }
});

test('`close` does not wait for the delay of a fault, and reports nothing', async () => {
  const sandbox = await startSandbox();
  await sandbox.faults.add({ kind: 'delay', delayMs: 600_000, next: 1 });
  const waiting = expect(fetch(`${sandbox.usersUrl}/users`)).rejects.toThrow();
  await expect.poll(() => sandbox.faults.list()).toEqual([]);
  const start = performance.now();
  await sandbox.close();
  await waiting;
  expect(performance.now() - start).toBeLessThan(1_500);
});
