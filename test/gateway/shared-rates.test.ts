import { expect, onTestFinished, test } from 'vitest';
import { openServer } from '../../src/database/server.ts';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { given } from '../support/given.ts';
import { patientStore } from '../support/patience.ts';
import { startGateway, startStack } from '../support/start-stack.ts';
import { preparedPostgres } from '../support/storage.ts';
import { startStubService } from '../support/stub-service.ts';

const PER_MINUTE = 1_000;
const QUERY = '{ viewer { rawId } }';
const LARGE = '{ merchants(first: 50) { edges { node { id } } } }';

/** Two gateways that count together, in front of a sandbox. */
async function startTwo() {
  const databaseUrl = await preparedPostgres();
  const database = await openServer(databaseUrl);
  const reports: string[] = [];
  const options = {
    rate: { pointsPerMinute: PER_MINUTE, keylessPerMinute: 0 },
    money: { ...readGatewaySettings({}).money, databaseUrl },
    report: (message: string) => reports.push(message),
  };
  const stack = await startStack({
    ...options,
    store: await openStore({ ...patientStore, databaseUrl }),
  });
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const services = { usersUrl, paymentsUrl, posUrl };
  const other = await startGateway({ ...options, services });
  onTestFinished(async () => {
    await other.close();
    await stack.close();
    await database.close();
  });
  const { key } = stack.sandbox.demoApp;
  const send = (
    gateway: { readonly url: string },
    authorization = `Bearer ${key}`,
    query = QUERY,
  ) =>
    fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify({ query }),
    });
  const rows = () =>
    database.query<{ points: number; version: string }>(
      'SELECT points, xmin::text AS version FROM rate_count',
    );
  return { stack, other, services, options, database, reports, send, rows };
}

test('of a refused caller, the database hears once', async () => {
  const { stack, other, send, rows } = await startTwo();
  for (const gateway of [stack, other]) {
    while ((await send(gateway, undefined, LARGE)).status !== 429);
  }
  const before = await rows();
  expect(before).toHaveLength(1);
  for (const gateway of [stack, other]) {
    const refused = await Promise.all(Array.from({ length: 50 }, () => send(gateway)));
    expect(refused.every(({ status }) => status === 429)).toBe(true);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  }
  expect(await rows()).toEqual(before);
});

test('nothing that is sent without a valid key reaches the database', async () => {
  const { stack, services, options, send, rows } = await startTwo();
  const invented = (at: number) => `Bearer invented-${at}`;
  await Promise.all(
    Array.from({ length: 200 }, (_, at) => send(stack, at < 100 ? invented(at) : '')),
  );
  // Repeated, when the service has rejected them.
  for (let at = 0; at < 10; at++) await send(stack, invented(at));
  for (const status of [503, 404, 403, 429]) {
    const failing = await startStubService({ 'GET /me': { status } });
    const gateway = await startGateway({
      ...options,
      services: { ...services, paymentsUrl: failing.url },
    });
    for (let count = 0; count < 3; count++) await send(gateway, invented(0));
    await gateway.close();
    await failing.close();
  }
  expect(await rows()).toEqual([]);
  await send(stack);
  await send(stack);
  expect(await rows()).toHaveLength(1);
});

test('while the database holds up the count, each gateway counts alone and money still moves', async () => {
  const { stack, database, send, reports } = await startTwo();
  await send(stack);
  await database.transaction(async (tx) => {
    await tx.query('LOCK TABLE rate_count IN ACCESS EXCLUSIVE MODE');
    const create = await Promise.all(Array.from({ length: 20 }, () => send(stack)));
    expect(create.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const left = create.map(({ headers }) => /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    expect(Math.min(...left.map(Number))).toBeLessThan(PER_MINUTE - 10);
    expect(await given(stack).transaction()).toMatch(/^txn_/);
  });
  expect(reports).toEqual([
    'RATE_LIMIT_PER_MINUTE: the database does not respond, so each gateway counts alone',
  ]);
});

test('a minute that a wrong clock began does not keep a caller out', async () => {
  const { stack, other, database, send, rows } = await startTwo();
  for (let count = 0; count < 2; count++) await send(stack, undefined, LARGE);
  expect(await rows()).toHaveLength(1);
  await database.query('UPDATE rate_count SET points = 1000000, expire = expire + 3600000');
  for (let count = 0; count < 2; count++) {
    expect((await send(other, undefined, LARGE)).status).toBe(200);
  }
  const [{ points } = { points: 0 }] = await rows();
  expect(points).toBeLessThan(PER_MINUTE);
});
