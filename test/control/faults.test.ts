import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DKK_MERCHANT, EUR_MERCHANT, type Subject, ways } from './subject.ts';

const ada = { name: 'Ada', email: 'ada@example.com', address: '' };

describe.each(ways)('faults %s', (_way, start) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await start();
  });
  afterEach(() => subject.control.faults.clear());
  afterAll(() => subject.close());

  const reserved = async (amount = 1_000) =>
    (await subject.control.pay({ merchantId: EUR_MERCHANT, amount })).transactionId;
  const counters = async (id: string) =>
    (await subject.payments.get(`/transactions/${id}`)).body.transaction;
  const names = async () =>
    (await subject.users.get('/users')).body.map((user: typeof ada) => user.name);

  test('a fault is listed with what it did, and ends when it is removed', async () => {
    const { faults } = subject.control;
    const { id } = await faults.add({ kind: 'status', service: 'users', status: 503 });
    const { id: second } = await faults.add({ kind: 'status', service: 'payments', status: 500 });
    expect((await subject.users.get('/users')).status).toBe(503);
    expect(await faults.list()).toMatchObject([
      { id, matched: 1, affected: 1, expires: null },
      { id: second, matched: 0, affected: 0 },
    ]);
    await faults.remove(id);
    expect((await subject.users.get('/users')).status).toBe(200);
    await expect(faults.remove(id)).rejects.toMatchObject({ status: 404 });
  });

  test('a status has the body and the `retry-after` that were asked for', async () => {
    const { faults } = subject.control;
    await faults.add({ kind: 'status', status: 429, body: { a: [1] }, retryAfter: 7 });
    const { status, headers, body } = await subject.payments.get('/me');
    expect([status, headers.get('retry-after'), body]).toEqual([429, '7', { a: [1] }]);
  });

  test.each([
    [false, 0],
    [true, 400],
  ])('a dropped connection of which the write is applied: %s', async (applied, refunded) => {
    const id = await reserved();
    await subject.payments.post(`/transactions/${id}/captures`, { amount: 1_000 });
    const route = '/transactions/:id/refunds';
    await subject.control.faults.add({ kind: 'drop', route, applied, next: 1 });
    const refund = subject.payments.post(`/transactions/${id}/refunds`, { amount: 400 });
    await expect(refund).rejects.toThrow();
    expect((await counters(id)).refundedAmount).toBe(refunded);
    expect(await subject.control.faults.list()).toEqual([]);
  });

  test.each([false, true])('a status of which the write is applied: %s', async (applied) => {
    await subject.control.faults.add({ kind: 'status', method: 'POST', status: 500, applied });
    const name = `applied ${applied}`;
    expect((await subject.users.post('/users', { ...ada, name })).status).toBe(500);
    expect((await names()).includes(name)).toBe(applied);
  });

  test('a response that never comes keeps the connection open until the caller gives up', async () => {
    await subject.control.faults.add({ kind: 'silence', method: 'POST', applied: true });
    const giveUp = new AbortController();
    const name = `silent ${Math.random()}`;
    const sent = subject.users.send('/users', {
      method: 'POST',
      body: JSON.stringify({ ...ada, name }),
      headers: { 'content-type': 'application/json' },
      signal: giveUp.signal,
    });
    await expect.poll(names).toContain(name);
    expect(await Promise.race([sent, 'nothing yet'])).toBe('nothing yet');
    giveUp.abort();
    await expect(sent).rejects.toThrow();
    expect(
      (await subject.control.requests.list()).findLast(({ status }) => status === 0)?.path,
    ).toBe('/users');
  });

  test('a truncated response ends early, and a garbled one is not JSON', async () => {
    await subject.control.faults.add({ kind: 'truncate', route: '/users' });
    await expect(subject.users.get('/users')).rejects.toThrow();
    await subject.control.faults.clear();
    await subject.control.faults.add({ kind: 'garble', route: '/users' });
    await expect(subject.users.get('/users')).rejects.toThrow(SyntaxError);
  });

  test('a delay comes before everything else', async () => {
    await subject.control.faults.add({ kind: 'status', status: 503, delayMs: 300 });
    await subject.users.get('/users');
    const [request] = await subject.control.requests.list({ limit: 1 });
    expect(request?.durationMs).toBeGreaterThanOrEqual(299);
    expect(request?.faultKind).toBe('status');
  });

  test('stale reads show the state before a change, and writes are not affected', async () => {
    const id = await reserved();
    await subject.payments.post(`/transactions/${id}/captures`, { amount: 600 });
    const user = (await subject.users.post('/users', ada)).body;
    await subject.users.patch(`/users/${user.id}`, { name: 'Changed' });
    await subject.users.delete(`/users/${user.id}`);
    const before = (await subject.users.get('/users')).body;
    await subject.control.faults.add({ kind: 'stale', agoMs: 60_000 });
    // The demo data was inserted less than a minute ago, but a reset or a start is no change.
    expect((await subject.payments.get(`/transactions/${id}`)).status).toBe(404);
    expect((await subject.users.get('/users')).body).toEqual(
      before.filter(({ name }: typeof ada) => !/^(applied|silent)/.test(name)),
    );
    const captured = await subject.payments.post(`/transactions/${id}/captures`, { amount: 400 });
    expect(captured.body.transaction.capturedAmount).toBe(1_000);
    await subject.control.faults.clear();
    expect((await counters(id)).capturedAmount).toBe(1_000);
    expect((await subject.users.get('/users')).body).toEqual(before);
  });

  test.each(['empty', 'demo'] as const)(
    'stale reads show the records of a reset to %s, which is no change',
    async (to) => {
      await subject.control.reset({ to });
      await subject.control.faults.add({ kind: 'stale', agoMs: 60_000 });
      expect((await subject.users.get('/users')).status).toBe(200);
      expect((await subject.payments.get('/me')).body.identity.id).toBe(subject.app.id);
      await subject.control.reset();
    },
  );

  test('a rate limit responds with 429 once a period has had its requests', async () => {
    await subject.control.faults.add({ kind: 'rateLimit', requests: 2, periodMs: 3_600_000 });
    const statuses = [];
    for (let count = 0; count < 4; count++)
      statuses.push((await subject.users.get('/users')).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await subject.users.get('/users')).headers.get('retry-after')).toBe('3600');
  });

  test('`every` and `next` choose among the requests that match', async () => {
    await subject.control.faults.add({ kind: 'status', status: 503, every: 3, next: 2 });
    const statuses = [];
    for (let count = 0; count < 9; count++)
      statuses.push((await subject.users.get('/users')).status);
    expect(statuses).toEqual([200, 200, 503, 200, 200, 503, 200, 200, 200]);
  });

  test('a fault of a merchant affects every route to records of this merchant only', async () => {
    const id = await reserved();
    const line = (await subject.payments.get(`/merchants/${EUR_MERCHANT}/lines?limit=1`)).body[0]
      .id;
    await subject.control.faults.add({
      kind: 'status',
      status: 503,
      merchantId: `mer_${EUR_MERCHANT}`,
    });
    const status = async (path: string) => (await subject.payments.get(path)).status;
    for (const path of [
      `/merchants/${EUR_MERCHANT}`,
      `/transactions/${id}`,
      `/lines/${line}`,
      `/disputes?limit=1&filter[merchantId]=${EUR_MERCHANT}`,
    ]) {
      expect([path, await status(path)]).toEqual([path, 503]);
    }
    expect(await status(`/merchants/${DKK_MERCHANT}`)).toBe(200);
    expect(await status('/me')).toBe(200);
  });

  test('a fault expires', async () => {
    await subject.control.faults.add({ kind: 'status', status: 503, expiresInMs: 50 });
    await expect.poll(async () => (await subject.users.get('/users')).status).toBe(200);
    expect(await subject.control.faults.list()).toEqual([]);
  });

  test.each([
    [{ kind: 'delay' }, 'delayMs'],
    [{ kind: 'status', status: 99 }, 'status'],
    [{ kind: 'stale', agoMs: 60_001 }, 'agoMs'],
    [{ kind: 'drop', route: '/nowhere' }, 'route: Must be one of /, /apps'],
    [{ kind: 'drop', service: 'users', route: '/me' }, 'route: Must be one of /users, /users/:id'],
    [{ kind: 'drop', nonsense: 1 }, 'nonsense'],
    [{ kind: 'explode' }, 'kind'],
    [{ kind: 'drop', merchantId: 'x' }, 'merchantId: Must be an id'],
  ])('%j is rejected with a message that names what to change', async (fault, message) => {
    // @ts-expect-error The compiler knows that these are not faults.
    await expect(subject.control.faults.add(fault)).rejects.toThrow(message);
    expect(await subject.control.faults.list()).toEqual([]);
  });
});
