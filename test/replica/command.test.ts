import { expect, onTestFinished, test } from 'vitest';
import { openExistingReplicaStore } from '../../src/gateway/replica/store/open-replica-store.ts';
import { createAsk } from '../support/ask.ts';
import { type Settings, startNode, startProgram, usedPostgres } from '../support/program.ts';

const run = (settings: Settings, ...args: string[]) =>
  startNode(['bin/tillgraph.js', 'sync', ...args], settings).ended;

interface Described {
  readonly merchant: string;
  readonly state: string;
  readonly records: number;
}

test('`tillgraph sync` shows what is copied while the gateway runs, and copies a merchant again', async () => {
  const settings = await usedPostgres();
  const program = await startProgram(settings);
  onTestFinished(async () => void (await program.stop()));
  const list = async (): Promise<Described[]> => JSON.parse((await run(settings, '--json')).stdout);
  const isReady = async () => {
    const merchants = await list();
    return merchants.length > 0 && merchants.every(({ state }) => state === 'READY');
  };
  await expect.poll(isReady, { timeout: 120_000 }).toBe(true);
  const [first, ...others] = await list();
  const text = await run(settings);
  expect(text.stdout).toContain(`${first?.merchant}  READY  `);
  expect(text.stdout.trim().split('\n')).toHaveLength(others.length + 1);
  const again = await run(settings, 'restart', `mer_${first?.merchant}`);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('copies') });
  await expect
    .poll(list, { timeout: 120_000 })
    .toContainEqual(
      first && { ...first, asOf: expect.any(String), ageSeconds: expect.any(Number) },
    );
});

test.each([
  [['restart', 'mer_unknown'], 'The merchant unknown is not copied. `tillgraph sync` shows all.'],
  [['restart'], 'Usage: tillgraph sync'],
  [['stop'], 'Usage: tillgraph sync'],
])('`tillgraph sync` with %j says what is wrong', async (args, message) => {
  const settings = await usedPostgres();
  const program = await startProgram(settings);
  onTestFinished(async () => void (await program.stop()));
  const { code, stderr } = await run(settings, ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('without a replica, `tillgraph sync` says so and creates nothing', async () => {
  const settings = await usedPostgres();
  expect(await run(settings)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no replica in'),
  });
  expect(
    await openExistingReplicaStore({ databaseUrl: settings.DATABASE_URL ?? '' }),
  ).toBeUndefined();
});

test('`tillgraph webhooks` shows endpoints without their secrets, and enables one again', async () => {
  const settings = await usedPostgres();
  const program = await startProgram(settings);
  onTestFinished(async () => void (await program.stop()));
  const webhooks = (...args: string[]) =>
    startNode(['bin/tillgraph.js', 'webhooks', ...args], settings).ended;
  expect((await webhooks()).stdout).toContain('There are no endpoints.');
  const ask = createAsk(program.url, program.demoKey);
  const { data } = await ask('{ merchants(first: 1) { edges { node { id } } } }');
  const { data: made } = await ask(
    `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) {
      ... on CreateWebhookEndpointSuccess { endpoint { id } secret } } }`,
    { input: { merchantId: data.merchants.edges[0].node.id, url: 'http://127.0.0.1:9/a?key=b' } },
  );
  const { endpoint, secret } = made.createWebhookEndpoint;
  await ask(
    `mutation ($id: ID!) { updateWebhookEndpoint(input: { id: $id, enabled: false }) { __typename } }`,
    endpoint,
  );
  const { stdout } = await webhooks();
  expect(stdout).toContain(`${endpoint.id}  127.0.0.1:9  0 pending\n  disabled: Disabled by`);
  for (const hidden of [secret, 'key=b']) expect(stdout).not.toContain(hidden);
  const json = (await webhooks('--json')).stdout;
  expect(json).toContain('"host":"127.0.0.1:9"');
  for (const hidden of [secret, 'key=b']) expect(json).not.toContain(hidden);
  expect((await webhooks('enable', endpoint.id)).code).toBe(0);
  expect((await webhooks()).stdout).not.toContain('disabled');
  const unknown = await webhooks('enable', 'whe_unknown');
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no endpoint'),
  });
});
