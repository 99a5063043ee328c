import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/testing/start.ts';
import { type RestCaller, rest } from '../support/rest.ts';
import { type Subject, ways } from './subject.ts';

const KIB = 1_024;

describe.each(ways)('inboxes %s', (_way, start) => {
  let subject: Subject;
  let http: RestCaller;
  beforeAll(async () => {
    subject = await start();
    http = rest(subject.controlUrl);
  });
  beforeEach(() => subject.control.reset());
  afterAll(() => subject.close());

  const send = async (name: string, body: string | Uint8Array, headers = {}) =>
    (await http.send(`/inbox/${name}`, { method: 'POST', body, headers })).status;
  const names = async () =>
    (await http.get('/inbox')).body.map(({ name }: { readonly name: string }) => name);
  const bodies = async (name: string) =>
    (await subject.control.inbox(name).list()).map(({ body }) => body);

  test('an inbox keeps any body exactly, with the headers of a webhook', async () => {
    const inbox = subject.control.inbox('orders');
    expect(inbox.url).toBe(`${subject.controlUrl}/inbox/orders`);
    expect(await inbox.list()).toEqual([]);
    const before = new Date().toISOString();
    const kept = {
      ...{ 'webhook-id': 'msg_1', 'webhook-timestamp': '1790000000', 'webhook-signature': 'v1,a' },
      ...{ 'content-type': 'text/plain', 'user-agent': 'sender/1' },
    };
    const dropped = { authorization: 'Bearer secret', 'x-webhook-id': 'a', 'content-types': 'b' };
    expect(await send('orders', '\ufeff{"a":\r\n 1}', { ...kept, ...dropped })).toBe(204);
    expect(await send('orders', '')).toBe(204);
    const [second, first, ...others] = await inbox.list();
    expect(first).toMatchObject({ headers: kept, body: '\ufeff{"a":\r\n 1}' });
    expect(Object.keys(first?.headers ?? {}).sort()).toEqual(Object.keys(kept).sort());
    expect(second).toMatchObject({ headers: {}, body: '', number: (first?.number ?? 0) + 1 });
    const times = [before, first?.receivedAt, second?.receivedAt, new Date().toISOString()];
    expect(times).toEqual(times.toSorted());
    expect(others).toEqual([]);
  });

  test('a body has at most 64 KiB', async () => {
    expect(await send('orders', 'x'.repeat(64 * KIB))).toBe(204);
    expect(await send('orders', 'y'.repeat(64 * KIB + 1))).toBe(413);
    expect(await bodies('orders')).toEqual(['x'.repeat(64 * KIB)]);
  });

  test.each(['a.b', 'a%20b', 'a%2Fb', 'x'.repeat(65), 'é'])(
    'no inbox is called %s',
    async (name) => {
      const path = `/inbox/${name}`;
      const answers = [http.get(path), http.post(path), http.put(path, {}), http.delete(path)];
      for (const { status, body } of await Promise.all(answers)) {
        expect([status, body]).toEqual([
          400,
          [{ field: 'name', message: 'Must have 1 to 64 letters, digits, `_` or `-`' }],
        ]);
      }
      expect(await names()).toEqual([]);
    },
  );

  test('a name can have 64 letters, digits, `_` and `-`', async () => {
    const name = `-_${'aZ'.repeat(30)}09`;
    expect(await send(name, 'hello')).toBe(204);
    expect(await bodies(name)).toEqual(['hello']);
  });

  test('an inbox keeps the last 100 messages', async () => {
    for (let count = 0; count < 101; count++) await send('many', `${count}`);
    const expected = Array.from({ length: 100 }, (_, index) => `${100 - index}`);
    expect(await bodies('many')).toEqual(expected);
  });

  test('the 100 inboxes that were used last are kept, and looking at one is no use', async () => {
    await send('old', 'a');
    await send('used', 'b');
    for (let count = 0; count < 98; count++) await send(`n${count}`, '');
    await send('used', 'c');
    await bodies('old');
    await subject.control.inbox('never').clear();
    expect(await names()).toContain('old');
    await send('last', '');
    expect(await bodies('old')).toEqual([]);
    expect(await bodies('used')).toEqual(['c', 'b']);
    expect(await names()).toHaveLength(100);
  });

  test('the list of inboxes has their names in order, what they keep and how they respond', async () => {
    await subject.control.inbox('a').respondWith({ status: 503 });
    await send('b', 'first');
    await send('b', 'second');
    const [{ number }] = (await http.get('/inbox/b')).body.messages;
    expect((await http.get('/inbox')).body).toEqual([
      { name: 'a', messages: 0, newest: null, response: { status: 503, delayMs: 0 } },
      { name: 'b', messages: 2, newest: number, response: { status: 204, delayMs: 0 } },
    ]);
  });

  test('`next` returns each message once, the oldest first, also to calls at the same time', async () => {
    const inbox = subject.control.inbox('orders');
    for (const body of ['1', '2', '3']) await send('orders', body);
    expect((await inbox.next()).body).toBe('1');
    const both = await Promise.all([inbox.next(), subject.control.inbox('orders').next()]);
    expect(both.map(({ body }) => body)).toEqual(['2', '3']);
    await inbox.clear();
    await send('orders', '4');
    expect((await inbox.next({ timeoutMs: 0 })).body).toBe('4');
  });

  test('`next` waits for a message to its own inbox', async () => {
    const inbox = subject.control.inbox('orders');
    const start = performance.now();
    const waiting = inbox.next({ timeoutMs: 30_000 });
    // When this response is here, the sandbox has the request that waits.
    expect(await inbox.list()).toEqual([]);
    await send('other', 'not this');
    await send('orders', 'this');
    expect((await waiting).body).toBe('this');
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  test('`next` rejects when the time has passed, and continues afterwards', async () => {
    const inbox = subject.control.inbox('orders');
    const start = performance.now();
    const message = 'No message arrived at /inbox/orders within 60 ms.';
    await expect(inbox.next({ timeoutMs: 60 })).rejects.toThrow(message);
    expect(performance.now() - start).toBeGreaterThan(55);
    await expect(inbox.next({ timeoutMs: 60_000 })).rejects.toThrow('wait: Must be at most 30000');
    await send('orders', 'late');
    expect((await inbox.next()).body).toBe('late');
  });

  test('the time of `next` begins with its call, also behind another call', async () => {
    const inbox = subject.control.inbox('orders');
    const start = performance.now();
    const calls = Array.from({ length: 10 }, () => inbox.next({ timeoutMs: 300 }));
    const late = 'No message arrived at /inbox/orders within 300 ms.';
    await Promise.all(calls.map((call) => expect(call).rejects.toThrow(late)));
    // One after the other would take 3 seconds.
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test('an inbox responds as it was told, and keeps the messages', async () => {
    const inbox = subject.control.inbox('orders');
    const told = { status: 500, delayMs: 80 };
    expect(await inbox.respondWith(told)).toEqual(told);
    const start = performance.now();
    expect(await send('orders', 'first')).toBe(500);
    expect(performance.now() - start).toBeGreaterThan(75);
    await inbox.clear();
    expect(await inbox.respondWith({ status: 410 })).toEqual({ status: 410, delayMs: 0 });
    expect(await send('orders', 'second')).toBe(410);
    expect(await bodies('orders')).toEqual(['second']);
    expect(await send('other', '')).toBe(204);
    await inbox.clear();
    expect([await send('orders', ''), await inbox.respondWith()]).toEqual([
      410,
      { status: 204, delayMs: 0 },
    ]);
    expect(await send('orders', '')).toBe(204);
  });

  test.each([
    [{ status: 199 }, 'status: Must be at least 200; it was 199'],
    [{ status: 600 }, 'status: Must be at most 599; it was 600'],
    [{ delayMs: -1 }, 'delayMs: Must be at least 0; it was -1'],
    [{ delayMs: 600_001 }, 'delayMs: Must be at most 600000; it was 600001'],
  ])('an inbox cannot respond with %j', async (response, message) => {
    await expect(subject.control.inbox('orders').respondWith(response)).rejects.toThrow(message);
  });

  test('pages of other origins and other hosts send nothing to an inbox', async () => {
    const json = { 'content-type': 'application/json' };
    for (const headers of [{ ...json, origin: 'https://evil.example' }, { host: 'evil.example' }]) {
      expect(await send('orders', '{}', headers)).toBe(403);
    }
    expect(await bodies('orders')).toEqual([]);
  });

  test('a reset removes the inboxes, and how they respond', async () => {
    await subject.control.inbox('orders').respondWith({ status: 500 });
    await send('orders', 'before');
    await subject.control.reset({ to: 'empty' });
    expect(await names()).toEqual([]);
    expect(await send('orders', 'after')).toBe(204);
    expect(await bodies('orders')).toEqual(['after']);
  });
});

test('`close` waits neither for a message nor for the delay of a response', async () => {
  const sandbox = await startSandbox({ seed: 'empty' });
  const [slow, silent] = [sandbox.inbox('slow'), sandbox.inbox('silent')];
  await slow.respondWith({ delayMs: 600_000 });
  const sent = fetch(slow.url, { method: 'POST', body: 'hello' }).catch(() => {});
  const waiting = silent.next({ timeoutMs: 30_000 }).catch(() => {});
  // The message is there before the response.
  expect((await slow.next()).body).toBe('hello');
  const start = performance.now();
  await sandbox.close();
  expect(performance.now() - start).toBeLessThan(1_500);
  await Promise.all([sent, waiting]);
});
