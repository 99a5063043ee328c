import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fastSync, startStack } from '../support/start-stack.ts';

// Without WEBHOOKS_PRIVATE, nothing is sent to the operator's own network.

let stack: Awaited<ReturnType<typeof startStack>>;
let merchant: string;
beforeAll(async () => {
  stack = await startStack({ isCopied: true, sync: { ...fastSync, webhooksPrivate: false } });
  const { data } = await stack.ask('{ merchants(first: 1) { edges { node { id } } } }');
  merchant = data.merchants.edges[0].node.id;
});
afterAll(async () => {
  expect(stack?.bugs).toEqual([]);
  await stack?.close();
});

async function create(url: string) {
  const { data } = await stack.ask(
    `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) {
      ... on MutationError { code message } ... on CreateWebhookEndpointSuccess { endpoint { id } } } }`,
    { input: { merchantId: merchant, url } },
  );
  return data.createWebhookEndpoint;
}

test.each([
  ['http://example.com/', 'must begin with `https:`'],
  ['https://localhost/', 'must be public'],
  ['https://127.0.0.1/', 'must be public'],
  ['https://10.1.2.3/', 'must be public'],
  ['https://169.254.169.254/latest', 'must be public'],
  ['https://2130706433/', 'must be public'],
  ['https://0x7f.1/', 'must be public'],
  ['https://[::1]/', 'must be public'],
  ['https://[::ffff:127.0.0.1]/', 'must be public'],
  ['https://[fd00::1]/', 'must be public'],
  ['https://[64:ff9b::7f00:1]/', 'must be public'],
  ['https://[64:ff9b:2::1]/', 'must be public'],
  ['https://[::127.0.0.1]/', 'must be public'],
  ['https://[fe00::1]/', 'must be public'],
  ['https://[4000::1]/', 'must be public'],
])('an endpoint cannot be at %s', async (url, message) => {
  const refused = await create(url);
  expect(refused).toMatchObject({ code: 'INVALID_INPUT' });
  expect(refused.message).toContain(message);
});

test.each([
  ['leads inside', hostname()],
  ['does not exist', 'no-such-host.invalid'],
])('a name that %s is not connected to, and looks like any other', async (_what, name) => {
  const { endpoint } = await create(`https://${name}/`);
  await stack.ask(
    'mutation ($id: ID!) { sendTestWebhook(input: { id: $id }) { __typename } }',
    endpoint,
  );
  const read = async () => {
    const { data } = await stack.ask(
      `query ($id: ID!) { node(id: $id) { ... on WebhookEndpoint {
        deliveries(first: 1) { edges { node { attempts { status error } } } } } } }`,
      endpoint,
    );
    return data.node.deliveries.edges[0].node.attempts[0];
  };
  await expect
    .poll(read, { timeout: 60_000 })
    .toEqual({ status: null, error: 'The host has no public address.' });
});
