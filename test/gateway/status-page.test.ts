import { afterAll, beforeAll, expect, test } from 'vitest';
import { patientGateway } from '../support/patience.ts';
import { ownStore, type Stack, startGateway, startStack } from '../support/start-stack.ts';
import { gatewayBefore, reset, TRANSACTION } from './support/before-services.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ version: '1.2.3', demoKey: 'a-key-that-is-secret' });
});
afterAll(() => stack.close());

const read = (url: string, accept: string) => fetch(`${url}/`, { headers: { accept } });

test('programs read the state of each part as JSON', async () => {
  const response = await read(stack.url, 'application/json');
  expect(response.headers.get('content-type')).toContain('application/json');
  const status = await response.json();
  expect(status).toMatchObject({
    ...{ status: 'ok', version: '1.2.3', node: process.version, sandbox: false },
    links: { GraphiQL: 'graphql', 'Schema as a diagram': 'schema' },
  });
  expect(
    status.parts.map(({ name, state, address }: Record<string, string>) => [name, state, address]),
  ).toEqual([
    ['gateway', 'ok', undefined],
    ['users', 'ok', stack.sandbox.usersUrl],
    ['payments', 'ok', stack.sandbox.paymentsUrl],
    ['payment page', 'ok', stack.sandbox.posUrl],
    ['money operations', 'ok', undefined],
  ]);
  for (const path of Object.values<string>(status.links)) {
    const address = new URL(path, `${stack.url}/`);
    expect((await fetch(address, { headers: { accept: 'text/html' } })).status).toBe(200);
  }
});

test('people read it as a page without scripts, and neither shows a key', async () => {
  const response = await read(stack.url, 'text/html,*/*');
  const html = await response.text();
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'/,
  );
  expect(html).toContain('<a href="graphql">GraphiQL</a>');
  expect(html).toContain('Version 1.2.3');
  expect(html).not.toContain('<script');
  expect(html + (await (await read(stack.url, '*/*')).text())).not.toContain(
    'a-key-that-is-secret',
  );
});

test('a service that fails is degraded', async () => {
  const breaker = { consecutive: 1, ratio: 1, minCalls: 1_000, windowMs: 10_000, openMs: 60_000 };
  const { upstream } = patientGateway;
  const { ask, url } = await gatewayBefore(
    { 'GET /transactions/t1': reset },
    { resilience: { ...upstream.resilience, breaker } },
  );
  await ask(TRANSACTION);
  const status = await (await read(url, '*/*')).json();
  expect(status.status).toBe('degraded');
  const degraded = status.parts.filter(({ state }: { state: string }) => state === 'degraded');
  expect(degraded.map(({ name }: { name: string }) => name)).toEqual(['payments']);
});

test('requests without a credential neither call a service nor read the store each time', async () => {
  const store = await ownStore();
  let reads = 0;
  const neverAnswers = () => {
    reads++;
    return new Promise<undefined>(() => {});
  };
  const gateway = await startStack({ store: { ...store, find: neverAnswers } });
  gateway.calls.length = 0;
  const paths = ['/', '/health', '/ready', '/graphql', '/schema', '/export', '/nothing'];
  for (const accept of ['text/html', 'application/json']) {
    for (const path of [...paths, ...paths]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const response = await fetch(gateway.url + path, { method, headers: { accept } });
        expect(response.status, `${method} ${path}`).not.toBe(500);
        await response.arrayBuffer();
      }
    }
  }
  expect(gateway.calls).toEqual([]);
  expect(reads).toBe(1);
  await gateway.close();
});

test('a store that fails is shown as unavailable as soon as the gateway knows', async () => {
  const store = await ownStore();
  const fails = () => Promise.reject(new Error('The connection is closed.'));
  const gateway = await startStack({ store: { ...store, find: fails } });
  const state = async () => (await (await read(gateway.url, '*/*')).json()).status;
  while ((await state()) !== 'unavailable');
  expect(await (await fetch(`${gateway.url}/ready`)).json()).toMatchObject({
    money: 'unavailable',
  });
  await gateway.close();
});

test('in production it is off unless it is asked for', async () => {
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const services = { usersUrl, paymentsUrl, posUrl };
  const off = await startGateway({ services, production: true });
  expect((await read(off.url, '*/*')).status).toBe(404);
  await off.close();
  const on = await startGateway({ services, production: true, statusPage: true });
  const status = await (await read(on.url, '*/*')).json();
  expect(status.links).toEqual({ Readiness: 'ready' });
  await on.close();
});
