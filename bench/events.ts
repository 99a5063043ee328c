/**
 * How soon is told what happens: `npm run bench -- events`. A sandbox with a gateway, a subscription,
 * and an endpoint; a payment that others make, and its capture through the gateway.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'graphql-sse';
import { startSandbox, type TestSandbox } from '../src/sandbox/testing/start.ts';
import { describeMachine } from './machine.ts';
import { quantile } from './quantile.ts';

const ROUNDS = 60;
const SUBSCRIPTION = `subscription ($merchantIds: [ID!]) { events(merchantIds: $merchantIds) {
  event { kind transaction { id } } } }`;

/** When each thing was told, by its kind and transaction. */
function createArrivals() {
  const waiting = new Map<string, (time: number) => void>();
  return {
    arrive: (key: string) => {
      waiting.get(key)?.(performance.now());
      waiting.delete(key);
    },
    wait: (key: string) => new Promise<number>((resolve) => waiting.set(key, resolve)),
  };
}

async function ask(sandbox: TestSandbox, query: string, variables: object) {
  const response = await fetch(sandbox.graphqlUrl ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${sandbox.app.key}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

/** Receives webhooks. */
async function receive(arrive: (key: string) => void) {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { data } = JSON.parse(text);
    arrive(`${data.kind} ${data.transactionId}`);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** Measures and writes `bench/EVENTS.md`. */
export async function benchEvents(): Promise<void> {
  const sandbox = await startSandbox({ gateway: true });
  const [events, webhooks] = [createArrivals(), createArrivals()];
  const receiver = await receive(webhooks.arrive);
  const { merchants } = await ask(
    sandbox,
    '{ merchants { edges { node { id fundingCurrency } } } }',
    {},
  );
  const { id: merchantId, fundingCurrency: currency } = merchants.edges[0].node;
  await ask(
    sandbox,
    `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { __typename } }`,
    { input: { merchantId, url: receiver.url } },
  );
  const client = createClient({
    url: sandbox.graphqlUrl ?? '',
    headers: { authorization: `Bearer ${sandbox.app.key}` },
  });
  const opened = Promise.withResolvers<void>();
  client.subscribe<{ events: { event: { kind: string; transaction: { id: string } } | null } }>(
    { query: SUBSCRIPTION, variables: { merchantIds: [merchantId] } },
    {
      next: ({ data }) => {
        opened.resolve();
        const event = data?.events.event;
        if (event != null) events.arrive(`${event.kind} ${event.transaction.id}`);
      },
      error: opened.reject,
      complete: () => {},
    },
  );
  await opened.promise;
  const times = { others: [[], []], own: [[], []] } as Record<'others' | 'own', number[][]>;
  const measure = async (who: 'others' | 'own', key: string, start: number) => {
    const arrived = await Promise.all([events.wait(key), webhooks.wait(key)]);
    for (const [index, time] of arrived.entries()) times[who][index]?.push(time - start);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const paid = await sandbox.pay({ merchantId, amount: 1_000 });
    const id = `txn_${paid.transactionId}`;
    await measure('others', `TRANSACTION_CREATED ${id}`, performance.now());
    const told = measure('own', `TRANSACTION_CAPTURED ${id}`, performance.now());
    await ask(
      sandbox,
      `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) { __typename } }`,
      {
        input: {
          transactionId: id,
          idempotencyKey: randomUUID(),
          amount: { minorUnits: 1_000, currency },
        },
      },
    );
    await told;
  }
  const row = (what: string, [toEvent = [], toWebhook = []]: readonly number[][]) => {
    const show = (list: readonly number[], share: number) => quantile(list, share).toFixed(0);
    return `| ${what} | ${show(toEvent, 0.5)} | ${show(toEvent, 0.99)} | ${show(toWebhook, 0.5)} | ${show(toWebhook, 0.99)} |`;
  };
  const { processor, node } = describeMachine();
  const text = `# How soon is told what happens

Milliseconds until the message of a subscription, and until the first attempt of a webhook, for ${ROUNDS} payments and their captures, one after the other. A merchant that is watched is polled every two seconds, and soon after a money operation of the gateway. The sandbox, PGlite and the client share the machine. Measured by \`npm run bench -- events\` on ${new Date().toISOString().slice(0, 10)}: ${processor}, Node ${node}.

| | event, p50 | p99 | webhook, p50 | p99 |
|---|---:|---:|---:|---:|
${row('a payment of somebody else', times.others)}
${row('a capture through the gateway', times.own)}
`;
  console.log(text);
  writeFileSync(new URL('EVENTS.md', import.meta.url), text);
  client.dispose();
  receiver.close();
  await sandbox.close();
}
