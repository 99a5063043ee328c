import { expect, test, vi } from 'vitest';
import type { RequestLogEntry } from '../../src/sandbox/http/server.ts';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

test('the log of requests has no id that could be a key or a card number', async () => {
  const log: RequestLogEntry[] = [];
  const options = { controlPort: 0, demoKey: 'a-key-of-my-own' };
  const sandbox = await startTestSandbox({ ...options, log: (entry) => log.push(entry) });
  try {
    const { app } = (await rest(sandbox.paymentsUrl).post('/apps', { name: 'Partner' })).body;
    const ids = ['a-key-of-my-own', '4111111111111111', app.key, 'f'.repeat(32)];
    for (const id of ids) {
      const { headers } = await rest(sandbox.usersUrl).send('/users', {
        headers: { 'x-request-id': id },
      });
      expect(headers.get('x-request-id')).toBe(id);
    }
    await rest(sandbox.paymentsUrl).get('/lines/411111111111111141111111');
    const own = await rest(sandbox.usersUrl).get('/users');
    const listed = await createControl(sandbox.controlUrl ?? '').requests.list();
    expect(listed.slice(1).map(({ requestId, ids }) => [requestId, ids])).toEqual([
      ['-', []],
      ['-', []],
      [app.key.slice(0, 8), []],
      ['ffffffff', []],
      [expect.stringMatching(/^[0-9a-f]{32}$/), []],
      [own.headers.get('x-request-id'), []],
    ]);
    expect(log.map(({ requestId }) => requestId)).toEqual(listed.map((each) => each.requestId));
  } finally {
    await sandbox.close();
  }
});

test('an unexpected error is printed without the values of its statement', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const key = '00000000-0000-4000-8000-00000000cafe';
  const sandbox = await startTestSandbox({ environment: { uuid: () => key } });
  try {
    const newApp = () => rest(sandbox.paymentsUrl).post('/apps', { name: 'Second' });
    expect([(await newApp()).status, (await newApp()).status]).toEqual([201, 500]);
    const [[text = ''] = []] = printed.mock.calls;
    expect(text).toContain('app_key_digest_key');
    expect(text).toMatch(/\n {4}at .*\(23505\)$/s);
    expect(JSON.stringify(printed.mock.calls)).not.toMatch(/cafe|INSERT|Second/);
  } finally {
    printed.mockRestore();
    await sandbox.close();
  }
});
