import { expect, onTestFinished, test } from 'vitest';
import { type Program, type Settings, startProgram, usedPostgres } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

const DRAIN_DELAY_MS = 2_000;
const CHECK_EVERY_MS = 50;
const SEND_EVERY_MS = 10;
/** On a slow machine, requests that wait for each other would also hold up the checks. */
const MAX_IN_FLIGHT = 10;

/** A sandbox, and how to start gateways in front of it. */
async function openServices() {
  const storage = await usedPostgres();
  const { usersUrl, paymentsUrl, posUrl, demoApp, close } = await startTestSandbox();
  onTestFinished(close);
  const start = (settings: Settings = {}): Promise<Program> =>
    startProgram({
      ...storage,
      USERS_URL: usersUrl,
      PAYMENTS_URL: paymentsUrl,
      POS_URL: posUrl,
      ...settings,
    });
  return { demoKey: demoApp.key, start };
}

/** A load balancer that asks every gateway whether it is ready. */
function createBalancer() {
  const ready = new Set<string>();
  const all = new Set<string>();
  const timer = setInterval(() => {
    for (const url of all) {
      fetch(`${url}/ready`).then(
        ({ status }) => (status === 200 ? ready.add(url) : ready.delete(url)),
        () => ready.delete(url),
      );
    }
  }, CHECK_EVERY_MS);
  onTestFinished(() => clearInterval(timer));
  let turn = 0;
  return {
    add: (url: string) => void all.add(url),
    remove: (url: string) => void all.delete(url),
    isReady: (url: string) => ready.has(url),
    next: () => [...ready][turn++ % ready.size],
  };
}

test('gateways behind a load balancer are restarted without a failed request', async () => {
  const { demoKey, start } = await openServices();
  const settings = { DRAIN_DELAY_MS: String(DRAIN_DELAY_MS), LOG_LEVEL: 'warn' };
  const gateways = await Promise.all([start(settings), start(settings)]);
  const balancer = createBalancer();
  for (const { url } of gateways) balancer.add(url);

  const results: Promise<unknown>[] = [];
  const send = async (url: string) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${demoKey}` },
      body: JSON.stringify({ query: '{ viewer { name } }' }),
    });
    return { status: response.status, ...((await response.json()) as object) };
  };
  let inFlight = 0;
  const traffic = setInterval(() => {
    const url = inFlight < MAX_IN_FLIGHT ? balancer.next() : undefined;
    if (url === undefined) return;
    inFlight++;
    const sent = send(url)
      .catch((error: unknown) => ({ error }))
      .finally(() => inFlight--);
    results.push(sent);
  }, SEND_EVERY_MS);
  onTestFinished(() => clearInterval(traffic));

  for (const gateway of gateways) {
    await expect.poll(() => gateways.every(({ url }) => balancer.isReady(url))).toBe(true);
    expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 0, signal: null, stderr: '' });
    balancer.remove(gateway.url);
    const next = await start(settings);
    gateways[gateways.indexOf(gateway)] = next;
    balancer.add(next.url);
  }
  await expect.poll(() => gateways.every(({ url }) => balancer.isReady(url))).toBe(true);
  clearInterval(traffic);
  const answers = await Promise.all(results);
  expect(answers.length).toBeGreaterThan(100);
  expect(answers.filter((each) => !isSuccess(each))).toEqual([]);
});

function isSuccess(answer: unknown): boolean {
  return JSON.stringify(answer) === '{"status":200,"data":{"viewer":{"name":"Demo"}}}';
}

test('while it stops, a gateway says that it is not ready; a second signal ends it at once', async () => {
  const { start } = await openServices();
  const gateway = await start({ DRAIN_DELAY_MS: '600000' });
  const ready = await fetch(`${gateway.url}/ready`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ready', payments: 'ok', users: 'ok', money: 'ok' },
  ]);
  const ended = gateway.stop('SIGTERM');
  const status = async () => (await fetch(`${gateway.url}/ready`)).status;
  await expect.poll(status).toBe(503);
  const health = await fetch(`${gateway.url}/health`);
  expect([health.status, health.headers.get('connection')]).toEqual([200, 'close']);
  // Signals that follow immediately are one: npm passes on what the terminal has sent.
  const again = setInterval(() => process.kill(gateway.pid, 'SIGTERM'), 100);
  onTestFinished(() => clearInterval(again));
  void ended.then(() => clearInterval(again));
  expect(await ended).toMatchObject({ code: 1, signal: null });
});
