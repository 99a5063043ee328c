import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { setTimeout as elapse } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { freePorts, startProgram, usedPostgres } from '../support/program.ts';

const WATCHERS = 5_000;
const ALL_MS = 5_000;
const COUNTED_MS = 20_000;

const QUERY = `subscription { events { cursor event {
  kind amount { decimal currency } transaction { id state card { last4 } } merchant { id } } } }`;

/** A subscription that counts its messages. */
async function watch(url: string, key: string, onMessage: () => void): Promise<ClientRequest> {
  const sent = request(`${url}/graphql`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${key}`,
    },
  });
  sent.on('error', () => {});
  sent.end(JSON.stringify({ query: QUERY }));
  const [response] = await once(sent, 'response');
  const first = Promise.withResolvers<void>();
  response.setEncoding('utf8').on('data', (text: string) => {
    expect(text).not.toContain('errors');
    const messages = text.split('event: next').length - 1;
    for (let count = 0; count < messages; count++) onMessage();
    if (messages > 0) first.resolve();
  });
  await first.promise;
  return sent;
}

test(`${WATCHERS} watchers cost the calls of one, and are told of a payment at once`, async () => {
  const program = await startProgram({
    ...freePorts,
    ...(await usedPostgres()),
    ...{ OPERATIONS_PORT: '0', SUBSCRIPTIONS_MAX: '20000' },
  });
  onTestFinished(async () => void (await program.stop()));
  const control = createControl(/Control\s+(http:\S+)/.exec(program.screen)?.[1] ?? '');
  const callsIn = async (ms: number) => {
    const count = async () => {
      const text = await (await fetch(program.metricsUrl)).text();
      const counts = text.matchAll(/^http_client_request_duration_count\{.*\} (\d+)/gm);
      return [...counts].reduce((sum, [, value]) => sum + Number(value), 0);
    };
    const before = await count();
    await elapse(ms);
    return (await count()) - before;
  };
  const memory = () => {
    const pages = readFileSync(`/proc/${program.pid}/statm`, 'utf8').split(' ')[1];
    return (Number(pages) * 4) / 1_024;
  };
  let messages = 0;
  const watchers = [await watch(program.url, program.demoKey, () => messages++)];
  onTestFinished(() => {
    for (const watcher of watchers) watcher.destroy();
  });
  const ofOne = await callsIn(COUNTED_MS);
  const before = memory();
  while (watchers.length < WATCHERS) {
    const some = Array.from({ length: 50 }, () =>
      watch(program.url, program.demoKey, () => messages++),
    );
    watchers.push(...(await Promise.all(some)));
  }
  const each = ((memory() - before) * 1_024) / watchers.length;
  const ofAll = await callsIn(COUNTED_MS);
  const { data } = await program.ask('{ merchants(first: 1) { edges { node { rawId } } } }');
  messages = 0;
  const paid = await control.pay({
    merchantId: data.merchants.edges[0].node.rawId,
    ...{ amount: 1_000, card: '4100000000000000' },
  });
  expect(paid.successful).toBe(true);
  while (messages === 0) await elapse(1);
  const start = performance.now();
  while (messages < watchers.length) await elapse(1);
  const spread = performance.now() - start;
  console.log(
    `${watchers.length} watchers: ${each.toFixed(1)} KB each, ${ofAll} calls in ${COUNTED_MS / 1_000} s (one: ${ofOne}), told within ${spread.toFixed(0)} ms of the first`,
  );
  expect(ofAll).toBeLessThan(2 * ofOne);
  expect(spread).toBeLessThan(ALL_MS);
});
