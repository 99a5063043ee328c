import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { startGateway } from '../support/start-stack.ts';
import { type StubAnswer, startStubService } from '../support/stub-service.ts';
import { failed, median, p99, reasons, sendAtRate } from './support/traffic.ts';

const PER_SECOND = 200;
const OUTAGE_S = 30;
const HEAL_WITHIN_S = 10;
/** Nothing but the calls of the breaker is expected from here on. */
const OPEN_AFTER_S = 2;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A gateway with its usual settings, in front of a service that a test can break. */
async function gatewayBeforeSickService() {
  let isSick = false;
  const arrivals: number[] = [];
  const answer: StubAnswer = (_request, response) => {
    arrivals.push(performance.now());
    if (isSick) return void response.writeHead(503).end('{}');
    response.end('{"transaction":{"id":"t1"}}');
  };
  const payments = await startStubService({
    'GET /transactions/t1': answer,
    'GET /me': { json: { identity: { id: 'a1' } } },
  });
  const users = await startStubService({ 'GET /users': { json: [{ id: 'u1', name: 'Ada' }] } });
  closers.push(payments.close, users.close);
  const { upstream, limits, deadlineMs } = readGatewaySettings({});
  const gateway = await startGateway({
    services: { usersUrl: users.url, paymentsUrl: payments.url, posUrl: 'http://127.0.0.1:1' },
    usersAccess: '*',
    usersAccessTtlMs: 3_600_000,
    upstream,
    limits,
    deadlineMs,
    store: createMemoryStore(Date.now, 30_000),
  });
  closers.push(() => gateway.close());
  return {
    ask: (query: string) => gateway.ask(query, {}, 'any-key'),
    arrivals,
    breakDown: (sick: boolean) => {
      isSick = sick;
    },
  };
}

/** Sends queries at a rate for some seconds. */
function send(ask: () => Promise<{ errors?: unknown }>, perSecond: number, seconds: number) {
  return sendAtRate(ask, perSecond, sleep(seconds * 1_000));
}

test(`during an outage of ${OUTAGE_S} s at ${PER_SECOND} requests/s a service gets few calls, and afterwards all of them`, async () => {
  const { ask, arrivals, breakDown } = await gatewayBeforeSickService();
  const query = () => ask('{ transaction(id: "t1") { rawId } }');
  await send(query, PER_SECOND, 2);
  breakDown(true);
  const start = performance.now();
  arrivals.length = 0;
  await send(query, PER_SECOND, OUTAGE_S);
  const during = arrivals.map((at) => (at - start) / 1_000);
  const late = during.filter((second) => second > OPEN_AFTER_S);
  console.info(`${during.length} calls in ${OUTAGE_S} s, ${late.length} after ${OPEN_AFTER_S} s`);
  expect(during.length).toBeLessThanOrEqual((PER_SECOND * 1.2 + 10) * OUTAGE_S);
  // One read every five seconds.
  expect(late.length).toBeLessThanOrEqual(OUTAGE_S / 5 + 1);

  breakDown(false);
  const healedAt = performance.now();
  const after = await send(query, PER_SECOND, HEAL_WITHIN_S + 5);
  const settled = after.filter(({ at }) => at - healedAt > HEAL_WITHIN_S * 1_000);
  console.info(
    `${failed(settled).length} of ${settled.length} failed after it healed`,
    reasons(settled),
  );
  expect(failed(settled).length).toBeLessThanOrEqual(settled.length * 0.01);
});

test('while one service hangs, queries of the other take about as long', async () => {
  const { ask, breakDown } = await gatewayBeforeSickService();
  const users = () => ask('{ users { edges { cursor } } }');
  const both = async () => {
    const [answers] = await Promise.all([
      send(users, 50, 10),
      send(() => ask('{ transaction(id: "t1") { rawId } }'), 50, 10),
    ]);
    expect(reasons(answers)).toEqual({});
    return p99(answers);
  };
  const ratios: number[] = [];
  for (let round = 0; round < 5; round++) {
    breakDown(false);
    const well = await both();
    breakDown(true);
    const sick = await both();
    ratios.push((sick - 5) / well);
    console.info(`p99 ${well.toFixed(1)} ms, with a sick service ${sick.toFixed(1)} ms`);
  }
  expect(median(ratios)).toBeLessThan(1.2);
});
