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
/** More than the rate limit of a test allows in three minutes. */
const EVENTS = 150;

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
  /** An app that has access until it is removed. */
  const addApp = async () => {
    const create =
      'mutation { createApp(input: {}) { ... on CreateAppSuccess { key app { id } } } }';
    const { key, app } = (await program.ask(create)).data.createApp;
    const change = async (field: string, type: string) => {
      const mutation = `mutation ($input: ${type}!) { ${field}(input: $input) { __typename } }`;
      const { errors } = await program.ask(mutation, { input: { merchantId, appId: app.id } });
      expect(errors).toBeUndefined();
    };
    await change('addMerchantApp', 'AddMerchantAppInput');
    return { key, remove: () => change('revokeMerchantApp', 'RevokeMerchantAppInput') };
  };
  return { ...program, addApp, listen, pay };
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
    const { addApp, demoKey, listen, pay, url } = await start(await usedPostgres());
    const balancer = await startBalancer([Number(new URL(url).port)]);
    await expect.poll(balancer.readyCount).toBe(1);
    const nginx = await startNginx({ '/': url });
    onTestFinished(nginx.close);
    const { key, remove } = await addApp();
    const lives = await Promise.all([
      listen(undefined, demoKey, balancer.url),
      listen(undefined, demoKey, nginx.url),
    ]);
    const removed = await listen(undefined, key);
    await remove();
    await elapse(QUIET_MS);
    expect(await removed.live.rest()).toMatchObject([
      { errors: [{ extensions: { code: 'FORBIDDEN', cursor: expect.any(String) } }] },
    ]);
    await pay();
    for (const { live } of lives) await nextCursor(live);
  },
);

test('events that the rate limit holds back are not sent once access has ended', async () => {
  const settings = { ...(await usedPostgres()), RATE_LIMIT_PER_MINUTE: '100' };
  const { addApp, listen, pay } = await start(settings);
  const { live: first, cursor } = await listen();
  await first.close();
  for (let count = 0; count < EVENTS; count++) await pay();
  const { key, remove } = await addApp();
  const { live } = await listen(cursor, key);
  await nextCursor(live);
  await remove();
  const rest = await live.rest();
  expect(rest.at(-1)?.errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
  expect(rest.length).toBeLessThan(EVENTS);
});

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
