import { setTimeout as elapse } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { reasonToSkip } from '../support/installed.ts';
import { startNginx } from '../support/prefix-proxy.ts';
import { freePorts, startProgram, usedPostgres } from '../support/program.ts';
import { type Subscribed, subscribe } from '../support/subscribe.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { startBalancer } from './support/haproxy.ts';

// What happens to subscriptions in a minute without events, and without a database.

/** Longer than proxies wait, and than access is valid. */
const QUIET_MS = 75_000;

const SUBSCRIPTION = `subscription ($merchantIds: [ID!], $after: String) {
  events(merchantIds: $merchantIds, after: $after) { cursor event { seq kind } } }`;

async function start(settings: Awaited<ReturnType<typeof usedPostgres>>) {
  const program = await startProgram({ ...freePorts, ...settings });
  onTestFinished(async () => void (await program.stop()));
  const control = createControl(/Control\s+(http:\S+)/.exec(program.screen)?.[1] ?? '');
  const { merchant } = await control.makeScene();
  const merchantId = merchant.id.replace(/^mer_/, '');
  const listen = async (after?: string, key = program.demoKey, url = program.url) => {
    const live = subscribe(url, key, SUBSCRIPTION, { merchantIds: [merchantId], after });
    onTestFinished(live.close);
    return { live, cursor: await nextCursor(live) };
  };
  const pay = () => control.pay({ merchantId, amount: 1_000, card: '4100000000000000' });
  return { ...program, merchantId, listen, pay };
}

async function nextCursor(live: Subscribed): Promise<string> {
  const { data, errors } = await live.next();
  expect(errors).toBeUndefined();
  return data.events.cursor;
}

const why = reasonToSkip({ haproxy: '-v', nginx: '-v' });
if (why !== '') console.warn(`Subscriptions behind proxies${why}`);

test.skipIf(why !== '')(
  `proxies that close idle connections after a minute leave quiet subscriptions open, and those without access end${why}`,
  async () => {
    const { ask, demoKey, listen, merchantId, pay, url } = await start(await usedPostgres());
    const balancer = await startBalancer([Number(new URL(url).port)]);
    await expect.poll(balancer.readyCount).toBe(1);
    const nginx = await startNginx({ '/': url });
    onTestFinished(nginx.close);
    const { data } = await ask(
      'mutation { createApp(input: {}) { ... on CreateAppSuccess { key app { id } } } }',
    );
    const { key, app } = data.createApp;
    const input = { merchantId, appId: app.id };
    const change = async (field: string, type: string) => {
      const mutation = `mutation ($input: ${type}!) { ${field}(input: $input) { __typename } }`;
      expect((await ask(mutation, { input })).errors).toBeUndefined();
    };
    await change('addMerchantApp', 'AddMerchantAppInput');
    const lives = await Promise.all([
      listen(undefined, demoKey, balancer.url),
      listen(undefined, demoKey, nginx.url),
    ]);
    const removed = await listen(undefined, key);
    await change('revokeMerchantApp', 'RevokeMerchantAppInput');
    await elapse(QUIET_MS);
    expect(await removed.live.rest()).toMatchObject([
      { errors: [{ extensions: { code: 'FORBIDDEN', cursor: expect.any(String) } }] },
    ]);
    await pay();
    for (const { live } of lives) await nextCursor(live);
  },
);

test('subscriptions outlive a broken connection to the database, and an outage ends them with their cursor', async () => {
  const settings = await usedPostgres();
  const direct = new URL(settings.DATABASE_URL ?? '');
  const network = await startTcpProxy(Number(direct.port));
  onTestFinished(network.close);
  const url = new URL(direct);
  url.port = String(network.port);
  const { listen, pay } = await start({ ...settings, DATABASE_URL: url.href });
  const { live } = await listen();
  let broken = 0;
  network.onSent = ({ length }) => (broken++ < 5 ? 0 : length);
  await expect.poll(() => broken).toBeGreaterThan(5);
  network.onSent = undefined;
  await pay();
  const cursor = await nextCursor(live);
  network.onSent = () => 0;
  const [last] = await live.rest();
  expect(last?.errors?.[0]?.extensions).toEqual({ code: 'EVENTS_UNAVAILABLE', cursor });
  // The sandbox has a connection of its own.
  await pay();
  network.onSent = undefined;
  await expect
    .poll(() => listen(cursor).then(({ live }) => nextCursor(live), String))
    .not.toContain('Error');
});
