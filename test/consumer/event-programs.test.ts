import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { readCodeBlocks, readMarkdownFiles, root } from '../docs/documents.ts';
import { freePort } from '../support/free-port.ts';
import { newKey } from '../support/new-key.ts';
import { startProcess } from '../support/process.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { codeOf, project } from './documented-project.ts';

// The programs of docs/events.md and docs/webhooks.md, as their readers copy and run them.

let stack: Stack;
let control: ReturnType<typeof createControl>;
beforeAll(async () => {
  stack = await startStack({ isCopied: true, controlPort: 0 });
  control = createControl(stack.sandbox.controlUrl ?? '');
});
afterAll(async () => {
  expect(stack?.bugs).toEqual([]);
  await stack?.close();
});

/** A new merchant that is copied, with payments. */
async function newMerchant(...counts: number[]): Promise<string> {
  const payments = counts.map((count) => ({ state: 'captured' as const, count }));
  const { merchant } = await control.makeScene({ payments });
  await stack.replica?.copy(merchant.id.replace(/^mer_/, ''));
  return merchant.id;
}

const pay = async (merchantId: string) => {
  const card = '4100000000000000';
  const { transactionId } = await control.pay({ merchantId, amount: 1_000, card });
  return `txn_${transactionId}`;
};

async function capture(transactionId: string): Promise<void> {
  const { data } = await stack.ask(
    `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) { __typename } }`,
    {
      input: {
        ...{ transactionId, idempotencyKey: newKey() },
        amount: { minorUnits: 1_000, currency: 'EUR' },
      },
    },
  );
  expect(data.captureTransaction.__typename).toBe('CaptureTransactionSuccess');
}

/** A folder with a program, made as the document that shows it says. Its types are checked. */
async function install(file: string): Promise<string> {
  const { folder, run } = project(file, codeOf(file));
  const blocks = readMarkdownFiles().flatMap(({ text }) => readCodeBlocks(text));
  const before = blocks[blocks.findIndex((block) => block.file === file) - 1]?.code ?? '';
  // What it installs is there.
  const [commands = ''] = before.split(' && npm install');
  execFileSync('sh', ['-ec', commands], { cwd: folder, stdio: 'pipe' });
  await run(
    'tsc',
    ...['--noEmit', '--strict', '--skipLibCheck', '--noUnusedLocals', '--target', 'ES2023'],
    ...['--module', 'nodenext', '--typeRoots', `${root}node_modules/@types`, '--types', 'node'],
    file,
  );
  return folder;
}

/** Reads from the database of a program. */
function select(path: string, statement: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}

async function mutate(field: string, input: object, selection: string) {
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const { data, errors } = await stack.ask(
    `mutation ($input: ${type}Input!) { result: ${field}(input: $input) { ... on ${type}Success { ${selection} } } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.result;
}

/** The keys of an object and of the objects in it. */
const keysOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keysOf(inner)]))
    : null;

test('the receiver keeps each message once, and a late one does not hide a newer one', async () => {
  const cwd = await install('receiver.ts');
  const merchantId = await newMerchant();
  const PORT = String(await freePort());
  const url = `http://127.0.0.1:${PORT}/`;
  const { endpoint, secret } = await mutate(
    'createWebhookEndpoint',
    { merchantId, url },
    'endpoint { id } secret',
  );
  const start = (WEBHOOK_SECRET: string) =>
    startProcess(process.execPath, ['receiver.ts'], { cwd, env: { WEBHOOK_SECRET, PORT } });
  const messages = () =>
    select(join(cwd, 'webhooks.db'), 'SELECT id, payment, kind FROM message ORDER BY seq');
  /** Sends a message as the gateway does. */
  const send = async (id: string, data: object, key = secret) => {
    const body = JSON.stringify({ type: 'transaction.created', timestamp: '', data });
    const now = new Date();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(key).sign(id, now, body),
    };
    return (await fetch(url, { method: 'POST', body, headers })).status;
  };

  const receiver = start(secret);
  await mutate('sendTestWebhook', { id: endpoint.id }, 'delivery { id }');
  await receiver.printed(/^null test$/m);
  const payment = await pay(merchantId);
  await receiver.printed(new RegExp(`^${payment} TRANSACTION_CREATED$`, 'm'));
  await capture(payment);
  await receiver.printed(new RegExp(`^${payment} TRANSACTION_CAPTURED$`, 'm'));

  const late = { transactionId: payment, seq: 0, kind: 'TRANSACTION_DECLINED' };
  expect(await send('late', late)).toBe(204);
  expect(await send('late', late)).toBe(204);
  expect(await send('forged', late, 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')).toBe(400);
  const { stdout } = await receiver.stop();
  const lines = ['null test', `${payment} TRANSACTION_CREATED`];
  lines.push(`${payment} TRANSACTION_CAPTURED`, `${payment} TRANSACTION_CAPTURED`);
  expect(stdout).toBe(`${lines.join('\n')}\n`);
  const known = messages();
  expect(known.map(({ kind }) => kind)).toEqual([
    ...['test', 'TRANSACTION_DECLINED', 'TRANSACTION_CREATED', 'TRANSACTION_CAPTURED'],
  ]);

  // It is given the new secret, and what it knows is sent again.
  const rotated = await mutate('rotateWebhookSecret', { id: endpoint.id }, 'secret');
  const again = start(rotated.secret);
  const { data } = await stack.ask(
    'query ($id: ID!) { node(id: $id) { ... on WebhookEndpoint { deliveries { edges { node { id } } } } } }',
    { id: endpoint.id },
  );
  const [{ node: delivery }] = data.node.deliveries.edges;
  await mutate('resendWebhookDelivery', { id: delivery.id }, 'delivery { id }');
  const attempts = async () => {
    const { data: found } = await stack.ask(
      'query ($id: ID!) { node(id: $id) { ... on WebhookDelivery { attempts { status } } } }',
      { id: delivery.id },
    );
    return found.node.attempts;
  };
  await expect.poll(async () => (await attempts()).at(-1)).toEqual({ status: 204 });
  await expect.poll(async () => (await attempts()).length).toBeGreaterThan(1);
  expect((await again.stop()).stdout).toBe('');
  expect(messages()).toEqual(known);
});

test('the body that docs/webhooks.md shows has the fields of a message', async () => {
  const text = readMarkdownFiles().find(({ path }) => path === 'docs/webhooks.md')?.text ?? '';
  const shown = readCodeBlocks(text).find(({ code }) => code.includes('"type"'));
  const inbox = control.inbox('shown');
  const merchantId = await newMerchant();
  await mutate('createWebhookEndpoint', { merchantId, url: inbox.url }, 'secret');
  await capture(await pay(merchantId));
  const bodies = [await inbox.next({ timeoutMs: 30_000 }), await inbox.next({ timeoutMs: 30_000 })];
  const sent = bodies.map(({ body }) => JSON.parse(body));
  const captured = sent.find(({ type }) => type === 'transaction.captured');
  expect(keysOf(JSON.parse(shown?.code ?? ''))).toEqual(keysOf(captured));
});

test('the copy has every payment after each run, and begins again if events have expired', async () => {
  const cwd = await install('keep-copy.ts');
  // More than a page.
  const merchantId = await newMerchant(100, 5);
  const env = {
    GRAPHQL_URL: `${stack.url}/graphql`,
    ...{ APP_KEY: stack.sandbox.demoApp.key, MERCHANT_ID: merchantId },
  };
  const run = async () => {
    const { code, stderr } = await startProcess(process.execPath, ['keep-copy.ts'], { cwd, env })
      .ended;
    return code === 0 ? 'copied' : stderr;
  };
  const file = join(cwd, 'copy.db');
  const copied = () => select(file, 'SELECT id, state FROM payment ORDER BY id');
  const place = () => select(file, 'SELECT cursor FROM place')[0];
  const states = async () => {
    const ids: object[] = [];
    for (let after: string | null = null, hasNextPage = true; hasNextPage; ) {
      const { data } = await stack.ask(
        `query ($id: ID!, $after: String) { merchant(id: $id) { transactions(first: 90, after: $after) {
          edges { node { id state } } pageInfo { hasNextPage endCursor } } } }`,
        { id: merchantId, after },
      );
      const { edges, pageInfo } = data.merchant.transactions;
      ids.push(...edges.map(({ node }: { node: object }) => node));
      ({ hasNextPage, endCursor: after } = pageInfo);
    }
    return ids.sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  };
  const noticed = () => stack.replica?.catchUp(merchantId.replace(/^mer_/, ''));
  const expectCopy = async () => {
    expect(await run()).toBe('copied');
    expect(copied()).toEqual(await states());
  };

  await expectCopy();
  const payment = await pay(merchantId);
  await capture(payment);
  await noticed();
  const before = place();
  // Of this run, the payment and the cursor behind it are stored together, or nothing.
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  database.exec(
    `CREATE TRIGGER full BEFORE INSERT ON place BEGIN SELECT RAISE(ABORT, 'full'); END`,
  );
  const known = copied();
  expect(await run()).toContain('full');
  expect([copied(), place()]).toEqual([known, before]);
  database.exec('DROP TRIGGER full');

  await expectCopy();
  expect(copied()).toContainEqual({ id: payment, state: 'CAPTURED' });
  expect(place()).not.toEqual(before);

  const other = await pay(merchantId);
  await noticed();
  await stack.replica?.trim();
  await expectCopy();
  expect(copied()).toContainEqual({ id: other, state: 'AUTHORIZED' });
  await capture(other);
  await noticed();
  await expectCopy();
});

const idOf = (record: object) => ('id' in record ? String(record.id) : '');
