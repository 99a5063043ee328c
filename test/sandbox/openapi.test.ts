import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestAnswer, type RestCaller, rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import {
  type AnyRecord,
  demoApp,
  form,
  newApp,
  openShop,
  type Shop,
  smallestMerchant,
} from './shop.ts';

type ServiceName = 'users' | 'payments';
const services: readonly ServiceName[] = ['users', 'payments'];

// Before the tests are collected, because there are some for each operation of the documents.
const sandbox = await startTestSandbox({ controlPort: 0 });
const documents: Record<ServiceName, AnyRecord> = {
  users: (await rest(sandbox.usersUrl).get('/openapi.json')).body,
  payments: (await rest(sandbox.paymentsUrl).get('/openapi.json')).body,
};

/** An operation of a document, with its name in the sandbox: `GET /users/:id`. */
interface Described {
  readonly service: ServiceName;
  readonly name: string;
  readonly described: AnyRecord;
}

const described: readonly Described[] = services.flatMap((service) =>
  Object.entries<AnyRecord>(documents[service].paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      service,
      name: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      described: operation,
    })),
  ),
);

/** Resolves a reference of the document, one level deep. */
function resolve(document: AnyRecord, { $ref, ...inline }: AnyRecord): AnyRecord {
  if ($ref === undefined) return inline;
  return $ref
    .split('/')
    .slice(1)
    .reduce((inner: AnyRecord, step: string) => inner[step], document);
}

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false });
ajv.addVocabulary(['components']);
addFormats.default(ajv);
/** Compiling a schema takes longer than validating, and many responses have the same schema. */
const compiled = new Map<AnyRecord, ValidateFunction>();

/** The differences between a value and a schema of the document. */
function differencesFrom(service: ServiceName, schema: AnyRecord, value: unknown): string[] {
  const validate =
    compiled.get(schema) ?? ajv.compile({ ...schema, components: documents[service].components });
  compiled.set(schema, validate);
  validate(value);
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** The differences between a response and the description of its operation. */
function responseDifferences(
  { service, described }: Described,
  status: number,
  body: unknown,
): string[] {
  const found = described.responses[status];
  if (found === undefined) return [`${status} is not described`];
  const schema = resolve(documents[service], found).content?.['application/json'].schema;
  if (schema === undefined) return body === undefined ? [] : ['has a body'];
  return differencesFrom(service, schema, body);
}

let shops: Record<'EUR' | 'USD', Shop>;
let callers: Record<'user' | 'owner' | 'stranger' | 'withoutKey', RestCaller>;
/** A successful request for each operation: its path and, if it has one, its body. */
let examples: Record<string, readonly [path: string, body?: object]>;

beforeAll(async () => {
  const owner = demoApp(sandbox);
  shops = { EUR: await openShop(sandbox), USD: await openShop(sandbox, 'USD') };
  callers = {
    user: rest(sandbox.usersUrl),
    owner,
    stranger: await newApp(sandbox),
    withoutKey: rest(sandbox.paymentsUrl),
  };
  examples = { ...(await userExamples(callers.user)), ...(await paymentExamples()) };
});
afterAll(() => sandbox.close());

async function userExamples(users: RestCaller): Promise<typeof examples> {
  const user = { name: 'Ada', email: 'ada@example.com', address: 'London' };
  const { id } = (await users.post('/users', user)).body;
  const other = (await users.post('/users', user)).body.id;
  return {
    'GET /users': ['/users'],
    'GET /users/:id': [`/users/${id}`],
    'POST /users': ['/users', user],
    'PUT /users/:id': [`/users/${id}`, user],
    'PATCH /users/:id': [`/users/${id}`, { address: '' }],
    'DELETE /users/:id': [`/users/${other}`],
  };
}

async function paymentExamples(): Promise<typeof examples> {
  const shop = await openShop(sandbox);
  const { id, source, payments } = shop;
  const merchant = `/merchants/${id}`;
  const first = async (path: string): Promise<string> => (await payments.get(path)).body[0].id;
  const { id: open } = await shop.charge(900, { custom: { note: 'x' } });
  const line = (await shop.move('captures', open, { amount: 300 })).trail[0].lineId;
  const card = (await payments.post(`${merchant}/cards`, { transactionId: source })).body.card.id;
  const appId = (await newApp(sandbox)).id;
  const leaving = (await newApp(sandbox)).id;
  await payments.post(`${merchant}/apps`, { appId: leaving });
  const invited = { email: 'eve@example.com' };
  await payments.post(`${merchant}/users`, invited);
  const member = await first(`${merchant}/users?limit=1`);
  const ofMerchant = `?limit=9&filter[merchantId]=${id}`;
  const all = '?limit=1000';
  const bank = { iban: 'DK5000400440116243' };
  const payment = { transactionId: source, currency: 'EUR', amount: 100, custom: { a: 1 } };
  return {
    'POST /apps': ['/apps', { name: 'Till' }],
    'GET /me': ['/me'],
    'POST /merchants': ['/merchants', { ...smallestMerchant, test: true, bank }],
    'GET /merchants/:id': [merchant],
    'PUT /merchants/:id': [merchant, { name: 'Nordlys' }],
    'GET /identities/:id/merchants': [`/identities/${sandbox.demoApp.id}/merchants${all}`],
    'GET /merchants/:id/apps': [`${merchant}/apps${all}`],
    'POST /merchants/:id/apps': [`${merchant}/apps`, { appId }],
    'DELETE /merchants/:id/apps/:appId': [`${merchant}/apps/${leaving}`],
    'GET /merchants/:id/users': [`${merchant}/users${all}`],
    'POST /merchants/:id/users': [`${merchant}/users`, invited],
    'DELETE /merchants/:id/users/:userId': [`${merchant}/users/${member}`],
    'GET /merchants/:id/lines': [`${merchant}/lines${all}`],
    'GET /lines/:id': [`/lines/${line}`],
    'GET /merchants/:id/transactions': [`${merchant}/transactions${all}`],
    'POST /merchants/:id/transactions': [`${merchant}/transactions`, payment],
    'GET /transactions/:id': [`/transactions/${open}`],
    'POST /transactions/:id/captures': [`/transactions/${open}/captures`, { amount: 10 }],
    'POST /transactions/:id/refunds': [`/transactions/${open}/refunds`, { amount: 10 }],
    'POST /transactions/:id/voids': [`/transactions/${open}/voids`, { amount: 10 }],
    'POST /merchants/:id/cards': [`${merchant}/cards`, { transactionId: source, notes: 'n' }],
    'GET /cards/:id': [`/cards/${card}`],
    'GET /disputes': [`/disputes${ofMerchant}`],
    'GET /disputes/:id': [`/disputes/${await first(`/disputes${ofMerchant}`)}`],
    'GET /frauds': [`/frauds${ofMerchant}`],
    'GET /frauds/:id': [`/frauds/${await first(`/frauds${ofMerchant}`)}`],
  };
}

function exampleOf(name: string): readonly [path: string, body?: object] {
  const example = examples[name];
  if (example === undefined) throw new Error(`${name} has no example`);
  return example;
}

const isSuccess = (status: number) => status < 300;

/** Sends a request to which the operation responds with this status. */
function provoke({ service, name }: Described, status: number): Promise<RestAnswer> {
  const [path, body] = exampleOf(name);
  const method = name.split(' ')[0] as string;
  const caller = service === 'users' ? callers.user : callers.owner;
  const address = (to: string) => ({ method, path: to });
  const call = (by: RestCaller, at = address(path), sent = JSON.stringify(body), type = 'json') =>
    by.send(at.path, {
      method,
      ...(body === undefined
        ? {}
        : { body: sent, headers: { 'content-type': `application/${type}` } }),
    });
  switch (status) {
    case 401:
      return call(callers.withoutKey);
    case 403:
      return call(callers.stranger);
    case 404:
      return call(caller, address(path.replace(/[0-9a-f-]{24,}/g, 'f'.repeat(24))));
    case 400:
      return call(caller, address(path.replace(/\?.*/, '')), '[1]');
    case 413:
      return call(caller, address(path), 'x'.repeat(64 * 1024 + 1));
    case 414:
      return call(caller, address(`${path}?${'x'.repeat(8 * 1024)}`));
    case 415:
      return call(caller, address(path), 'x', 'xml');
    default:
      return call(caller);
  }
}

/** The statuses of a description, except 409, which requires two requests at the same time. */
function statusesOf({ described }: Described): number[] {
  return Object.keys(described.responses)
    .map(Number)
    .filter((status) => status !== 409);
}

/** Rows of a table of tests, with the name first. */
function named(operations: readonly Described[]) {
  return operations.map((operation) => [operation.name, operation] as const);
}

describe.each(services)('the document of %s', (service) => {
  test('names the address of the service, and needs no key', () => {
    expect(documents[service].servers).toEqual([{ url: sandbox[`${service}Url`] }]);
  });

  test('is named at /, with the name of the service', async () => {
    const { status, body } = await rest(sandbox[`${service}Url`]).get('/');
    expect(status).toBe(200);
    const openapi = `${sandbox[`${service}Url`]}/openapi.json`;
    expect(body).toEqual({ name: documents[service].info.title, openapi });
    expect((await rest(openapi).get('')).status).toBe(200);
  });

  test('is named by the error for an unknown path, but not by that for a record', async () => {
    const caller = service === 'users' ? callers.user : callers.owner;
    const unknown = await caller.get('/nothing');
    expect(unknown.status).toBe(404);
    expect(unknown.body.message).toContain('GET /openapi.json');
    const record = await caller.get(service === 'users' ? '/users/1' : '/merchants/1');
    expect(record.status).toBe(404);
    expect(record.body.message).not.toContain('openapi');
  });

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(documents[service]));
    expect([valid, errors]).toEqual([true, undefined]);
    expect(validator.version).toBe('3.1');
  });

  test('describes exactly the operations of the service', () => {
    const names = described.filter((each) => each.service === service).map(({ name }) => name);
    expect(names.sort()).toEqual([...sandbox.operations[service]].sort());
  });

  test('describes every placeholder of a path once', () => {
    for (const { name, described: operation } of described) {
      const inPath = (operation.parameters ?? []).filter((each: AnyRecord) => each.in === 'path');
      expect(inPath.map((each: AnyRecord) => `:${each.name}`)).toEqual(name.match(/:\w+/g) ?? []);
    }
  });
});

test('the documents say how to authenticate', async () => {
  const { info, components, paths } = (await callers.owner.get('/openapi.json')).body;
  expect(info.description).toContain('password of HTTP Basic authentication');
  expect(components.securitySchemes.key).toMatchObject({ type: 'http', scheme: 'basic' });
  expect([paths['/me'].get.security, paths['/apps'].post.security]).toEqual([[{ key: [] }], []]);
  const ofUsers = (await callers.user.get('/openapi.json')).body;
  expect(ofUsers.info.description).toContain('no authentication');
  expect(ofUsers.components.securitySchemes).toEqual({});
});

test.each(named(described))('%s responds as described, with every status', async (_, operation) => {
  for (const status of statusesOf(operation)) {
    const response = await provoke(operation, status);
    expect(response.status, `provoking ${status}`).toBe(status);
    expect(responseDifferences(operation, status, response.body)).toEqual([]);
  }
});

const withBody = described.filter((operation) => operation.described.requestBody !== undefined);

test('an operation describes a body exactly if its request has one', () => {
  const names = Object.keys(examples).filter((name) => examples[name]?.[1] !== undefined);
  expect(withBody.map(({ name }) => name).sort()).toEqual(names.sort());
});

test.each(named(withBody))(
  '%s accepts the described body, as JSON and as a form',
  async (name, operation) => {
    const { service } = operation;
    const [path, sent = {}] = exampleOf(name);
    const body = operation.described.requestBody;
    const types = ['application/json', 'application/x-www-form-urlencoded'];
    expect(Object.keys(body.content)).toEqual(types);
    expect(differencesFrom(service, body.content['application/json'].schema, sent)).toEqual([]);
    const caller = service === 'users' ? callers.user : callers.owner;
    const asForm = form(bracketed(sent), name.split(' ')[0]);
    const { status } = await caller.send(path, asForm);
    expect(isSuccess(status)).toBe(true);
  },
);

/** A body in form encoding, with brackets for nested fields and words for Booleans. */
function bracketed(sent: object): string {
  const pairs = (value: unknown, key: string): [string, string][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([step, inner]) => pairs(inner, `${key}[${step}]`))
      : [[key, typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)]];
  const all = Object.entries(sent).flatMap(([key, value]) => pairs(value, key));
  return new URLSearchParams(all).toString();
}

test('the response to a declined payment is as described', async () => {
  const { id, source } = await openShop(sandbox, 'USD', '0120');
  const payment = { transactionId: source, currency: 'USD', amount: 100 };
  const { status, body } = await callers.owner.post(`/merchants/${id}/transactions`, payment);
  const operation = described.find(({ name }) => name === 'POST /merchants/:id/transactions');
  expect(body.code).toBe(7);
  if (operation === undefined) throw new Error('The operation is not described.');
  expect(responseDifferences(operation, status, body)).toEqual([]);
});

const withResponseBody = described.filter(({ described: { responses } }) => {
  return Object.entries<AnyRecord>(responses).some(
    ([status, response]) => isSuccess(Number(status)) && response.content,
  );
});

test.each(named(withResponseBody))(
  'a response of %s with an additional or a missing field is not as described',
  async (_, operation) => {
    const status = statusesOf(operation).find(isSuccess) ?? 0;
    const { body } = await provoke(operation, status);
    const broken = brokenCopies(body, optionalFields[operation.name]);
    expect(broken.length).toBeGreaterThan(0);
    for (const { how, copy } of broken) {
      expect(responseDifferences(operation, status, copy), how).not.toEqual([]);
    }
  },
);

describe('a field that may be left out is described so', () => {
  const control = (method: 'post' | 'put', path: string, body: object) =>
    rest(sandbox.controlUrl ?? '')[method](path, body);

  /** Checks a response, and returns its body. */
  async function described200(name: string, path: string): Promise<AnyRecord> {
    const operation = described.find((each) => each.name === name);
    if (operation === undefined) throw new Error(`${name} is not described`);
    const { status, body } = await callers.owner.get(path);
    expect([status, responseDifferences(operation, status, body)]).toEqual([200, []]);
    return body;
  }

  test.each([
    ['disputes', 'dispute', 'disputeId', ['reason', 'due'], { reason: null, due: null }],
    ['frauds', 'fraud', 'fraudId', ['reported', 'reason'], { reported: null, reason: null }],
  ] as const)('in %s', async (list, one, idName, optional, without) => {
    const shop = shops.EUR;
    const { id: transactionId } = await shop.charge(100);
    await shop.move('captures', transactionId, { amount: 100 });
    const made = await control('post', `/${list}`, { transactionId, ...without });
    const id = made.body[idName];
    const alone = (await described200(`GET /${list}/:id`, `/${list}/${id}`))[one];
    for (const field of optional) expect(alone).not.toHaveProperty(field);
    const path = `/${list}?limit=1&filter[merchantId]=${shop.id}`;
    expect(await described200(`GET /${list}`, path)).toEqual([alone]);
  });

  test('in apps, whose key may be hidden', async () => {
    const { id } = shops.EUR;
    const appId = (await newApp(sandbox)).id;
    await callers.owner.post(`/merchants/${id}/apps`, { appId });
    await control('put', `/apps/${appId}`, { keyHidden: true });
    const path = `/merchants/${id}/apps?limit=1`;
    const [app] = await described200('GET /merchants/:id/apps', path);
    expect(Object.keys(app)).toEqual(['id', 'name', 'created']);
  });

  test.each(['EUR', 'USD'] as const)(
    'in lines of payouts, with and without an IBAN (%s)',
    async (currency) => {
      const { id: merchantId } = shops[currency];
      const { lineId } = (await control('post', '/payouts', { merchantId, amount: 1 })).body;
      const line = await described200('GET /lines/:id', `/lines/${lineId}`);
      const iban = currency === 'EUR' ? 'DE89370400440532013000' : null;
      expect(line).toMatchObject({ payout: true, balance: -1, fee: 0, bank: { iban } });
      for (const field of ['transactionId', 'amount']) expect(line).not.toHaveProperty(field);
      const path = `/merchants/${merchantId}/lines?limit=1`;
      expect(await described200('GET /merchants/:id/lines', path)).toEqual([line]);
    },
  );
});

/** Fields of responses that may be left out, by operation. */
const optionalFields: Readonly<Record<string, readonly string[]>> = {
  // The line of a won dispute is, without it, a valid line of an open dispute.
  'GET /merchants/:id/lines': ['won'],
  'GET /merchants/:id/apps': ['key'],
  'GET /disputes': ['reason', 'due'],
  'GET /disputes/:id': ['reason', 'due'],
  'GET /frauds': ['reported', 'reason'],
  'GET /frauds/:id': ['reported', 'reason'],
};

/** Copies of a response, each with one additional or one missing field. */
function brokenCopies(
  body: AnyRecord,
  optional: readonly string[] = [],
): { how: string; copy: unknown }[] {
  const sample: AnyRecord = Array.isArray(body) ? body.slice(0, 10) : body;
  return objectsIn(sample, []).flatMap((path) => {
    const change = (how: string, act: (target: AnyRecord) => void) => {
      const copy = structuredClone(sample);
      act(path.reduce((inner, step) => inner[step], copy));
      return { how: `${how} in ${path.join('.')}`, copy };
    };
    const target = path.reduce((inner, step) => inner[step], sample);
    return [
      change('more', (at) => {
        at.more = true;
      }),
      ...Object.keys(target)
        .filter((key) => !optional.includes(key))
        .map((key) => change(`no ${key}`, (at) => delete at[key])),
    ];
  });
}

/** The paths of the objects in a response, except in the custom data of the caller. */
function objectsIn(value: unknown, path: string[]): string[][] {
  if (typeof value !== 'object' || value === null || path.at(-1) === 'custom') return [];
  const below = Object.entries(value).flatMap(([key, inner]) => objectsIn(inner, [...path, key]));
  return Array.isArray(value) ? below : [path, ...below];
}
