import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openShop, type Shop } from '../sandbox/shop.ts';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { newKey } from '../support/new-key.ts';
import { holdRequests, signal } from './support/faults.ts';
import { createGatewayClock } from './support/gateway-clock.ts';
import { findOperation, movementInput, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

/** Half of the places and of the connections for reads of money operations. */
const OWN = 32;
/** Half of the connections for the reads of queries. */
const QUERY_READS = 32;
/** Aliased fields of one query, within the limits of a document. */
const FIELDS = 16;

const clock = createGatewayClock();
/** How many time limits have started that only the deadline of a request sets. */
let deadlines: number;
let onDeadline = () => {};
let gateway: ProxiedGateway;
let slow: Shop;
let other: Shop;
beforeAll(async () => {
  gateway = await startProxiedGateway({
    clock: {
      ...clock.clock,
      startLimit: (ms, onPassed) => {
        if (ms > 60_000) deadlines++;
        onDeadline();
        return clock.clock.startLimit(ms, onPassed);
      },
    },
  });
  slow = await openShop(gateway.direct.sandbox, 'EUR');
  other = await openShop(gateway.direct.sandbox, 'USD');
});
afterAll(() => gateway?.close());
beforeEach(() => {
  gateway.reset();
  deadlines = 0;
});

/** Inputs of captures of new transactions. */
const newInputs = async (shop: Shop, count: number, currency: string) => {
  const transactions = await Promise.all(Array.from({ length: count }, () => shop.charge(1000)));
  return transactions.map(({ id }) => ({
    ...movementInput(id, 300),
    amount: { minorUnits: 300, currency },
  }));
};
type Input = Awaited<ReturnType<typeof newInputs>>[number];
const capture = (input: Input) => submit(gateway.ask, 'capture', input);

/** Applies a fault to the requests whose path contains one of the texts. */
function only(texts: readonly string[], fault: Fault): Fault {
  return (forward, response, request) => {
    const isMeant = texts.some((text) => request.url?.includes(text));
    return (isMeant ? fault : passOn)(forward, response, request);
  };
}

/** Resolves when so many requests have arrived that match. */
function arrived(count: number, pattern: RegExp): Promise<void> {
  const all = signal();
  const check = () => {
    if (gateway.proxy.requests.filter((name) => pattern.test(name)).length >= count) all.send();
  };
  gateway.proxy.onArrival = check;
  return all.sent;
}

test('while 40 POSTs of one merchant hang, the captures of another one succeed, and 8 of the 40 are not sent', async () => {
  const inputs = await newInputs(slow, 40, 'EUR');
  const others = await newInputs(other, 5, 'USD');
  const held = holdRequests();
  gateway.proxy.onWrite = only(
    inputs.map(({ transactionId }) => transactionId),
    held.fault,
  );
  const allWait = signal();
  onDeadline = () => deadlines === inputs.length && allWait.send();
  const hanging = inputs.map(capture);
  await allWait.sent;

  const succeeded = { __typename: 'CaptureTransactionSuccess', operation: { replayed: false } };
  for (const input of others) expect(await capture(input)).toMatchObject(succeeded);

  clock.passDeadlines();
  const results = await Promise.all(hanging);
  const waited = inputs.filter((_, index) => results[index].code === 'NOT_SENT');
  expect(waited).toHaveLength(inputs.length - OWN);
  for (const result of results) {
    expect(result).toMatchObject(
      result.code === 'NOT_SENT'
        ? { message: expect.stringContaining('operations of this merchant') }
        : { code: 'IDEMPOTENCY_KEY_IN_USE', operation: { status: 'IN_PROGRESS' } },
    );
  }
  for (const { idempotencyKey } of waited) {
    expect(await findOperation(gateway.ask, `mer_${slow.id}`, idempotencyKey)).toBeNull();
  }
  held.release();
  clock.freeze();
  for (const result of await Promise.all(inputs.map(capture))) {
    expect(result).toMatchObject({ operation: { status: 'SUCCEEDED' } });
  }
  clock.reset();
  expect(gateway.posts()).toBe(inputs.length + others.length);
});

/** A capture that selects nothing but what its own reads show. */
const CAPTURE = `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) {
  ... on CaptureTransactionSuccess {
    operation { status }
    transaction { capturedAmount { minorUnits } }
    trailEntry { amount { minorUnits } }
  } } }`;

/** Asks for a number of fields at once, in queries within the limits of one document. */
function askInParts(
  count: number,
  field: (index: number) => string,
  query: (fields: string) => string,
) {
  const all = Array.from({ length: count }, (_, index) => field(index));
  const parts = Array.from({ length: Math.ceil(count / FIELDS) }, (_, part) =>
    all.slice(part * FIELDS, (part + 1) * FIELDS),
  );
  return Promise.all(parts.map((fields) => gateway.ask(query(fields.join(' ')))));
}

test('while the queries of a caller use all its connections for reads, captures and new transactions of the same caller succeed', async () => {
  const inputs = await newInputs(slow, 30, 'EUR');
  const held = holdRequests();
  gateway.proxy.onRead = only([`/merchants/${slow.id}/lines`], held.fault);
  const full = arrived(QUERY_READS, /\/lines/);
  const queries = askInParts(
    2 * QUERY_READS,
    (index) => `f${index}: lines(first: ${1 + (index % 50)}) { edges { cursor } }`,
    (fields) => `{ merchant(id: "${slow.id}") { ${fields} } }`,
  );
  await full;
  const answers = await Promise.all(inputs.map((input) => gateway.ask(CAPTURE, { input })));
  for (const { data, errors } of answers) {
    expect(errors).toBeUndefined();
    expect(data.captureTransaction).toEqual({
      operation: { status: 'SUCCEEDED' },
      transaction: { capturedAmount: { minorUnits: 300 } },
      trailEntry: { amount: { minorUnits: 300 } },
    });
  }
  const created = await submit(gateway.ask, 'create', {
    merchantId: slow.id,
    source: { transactionId: slow.source },
    amount: { minorUnits: 100, currency: 'EUR' },
    idempotencyKey: newKey(),
  });
  expect(created).toMatchObject({ __typename: 'CreateTransactionSuccess', transaction: {} });
  held.release();
  for (const { errors } of await queries) expect(errors).toBeUndefined();
});

test('while one app waits for the reads of its money operations, a capture of another one succeeds', async () => {
  const [input] = await newInputs(other, 1, 'USD');
  const guest = await newGuest();
  const held = holdRequests();
  gateway.proxy.onRead = only([`/merchants/${other.id}`], held.fault);
  const half = arrived(OWN, /^GET \/merchants/);
  const queries = askInParts(
    3 * OWN,
    (index) => `f${index}: moneyOperation(merchantId: "${other.id}", idempotencyKey: "${index}")
      { status }`,
    (fields) => `{ ${fields} }`,
  );
  await half;
  const result = await submit(gateway.ask, 'capture', input ?? {}, guest);
  expect(result).toMatchObject({ operation: { status: 'SUCCEEDED' } });
  const reads = gateway.proxy.requests.filter((name) => name.startsWith('GET /merchants'));
  expect(reads).toHaveLength(OWN);
  held.release();
  for (const { errors } of await queries) expect(errors).toBeUndefined();
});

/** Creates an app with access to the other merchant, and returns its key. */
async function newGuest(): Promise<string> {
  const { ask } = gateway.direct;
  const { data } = await ask(
    'mutation { createApp(input: {}) { ... on CreateAppSuccess { key app { id } } } }',
  );
  const { key, app } = data.createApp;
  await ask(
    `mutation ($input: AddMerchantAppInput!) { addMerchantApp(input: $input) { __typename } }`,
    { input: { merchantId: other.id, appId: app.id } },
  );
  return key;
}
