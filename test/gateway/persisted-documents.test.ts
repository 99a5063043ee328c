import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.ts';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { createLog } from '../../src/gateway/telemetry/log.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { given } from '../support/given.ts';
import { type Stack, type StackOptions, startStack } from '../support/start-stack.ts';
import { type Files, startWithDocuments, writeDocuments } from './support/persisted.ts';

let stack: Stack;
let merchantId: string;
beforeAll(async () => {
  stack = await startStack();
  merchantId = (await given(stack).merchant()).id;
});
afterAll(() => stack.close());
beforeEach(() => {
  stack.calls.length = 0;
});

const hashOf = (text: string, algorithm = 'sha256') =>
  createHash(algorithm).update(text).digest('hex');
const idOf = (text: string) => `sha256:${hashOf(text)}`;

const NAME = 'query Name($id: ID!) { merchant(id: $id) { name } }';
const TWO = 'query A { a: __typename } query B { b: __typename }';
const OWN = '{ own: __typename }';
const UNKNOWN = '{ unknown: __typename }';
const manifest = { [hashOf(NAME, 'md5')]: NAME, [hashOf(TWO)]: TWO, 'x-app:own.1': OWN };

/** A gateway that is closed when the test ends. */
async function start(files: Files, env?: Readonly<Record<string, string>>, options?: StackOptions) {
  const gateway = await startWithDocuments(stack, files, env, options);
  onTestFinished(gateway.close);
  return gateway;
}

const codesOf = ({ errors = [] }: { errors?: readonly { extensions: object }[] }) =>
  errors.map(({ extensions }) => extensions);

describe.each([
  ['the fast path', true],
  ['Yoga', false],
])('with %s, a persisted document request', (_way, fastPath) => {
  let gateway: Awaited<ReturnType<typeof startWithDocuments>>;
  beforeAll(async () => {
    gateway = await startWithDocuments(stack, { 'all.json': manifest }, {}, { fastPath });
  });
  afterAll(() => gateway.close());

  test.each([
    ['its SHA-256', idOf(NAME)],
    ['the custom id of its manifest, an MD5', hashOf(NAME, 'md5')],
  ])('names a document by %s', async (_what, documentId) => {
    const expected = await stack.ask(NAME, { id: merchantId });
    expect(expected.data.merchant.name).toEqual(expect.any(String));
    const { status, data, errors } = await gateway.send({
      documentId,
      variables: { id: merchantId },
    });
    expect({ status, data, errors }).toEqual({ ...expected, errors: undefined });
  });

  test('names a document by an id with a prefix that begins with "x-"', async () => {
    expect((await gateway.send({ documentId: 'x-app:own.1' })).data).toEqual({ own: 'Query' });
  });

  test('selects an operation of the document by its name', async () => {
    const send = (operationName: string | null) =>
      gateway.send({ documentId: idOf(TWO), operationName });
    expect((await send('B')).data).toEqual({ b: 'Query' });
    expect(codesOf(await send(null))).toEqual([{ code: 'OPERATION_RESOLUTION_FAILURE' }]);
  });

  test('may have null for each optional parameter, and extensions', async () => {
    const none = { query: null, operationName: null, variables: null };
    const { data } = await gateway.send({
      documentId: 'x-app:own.1',
      ...none,
      extensions: { a: 1 },
    });
    expect(data).toEqual({ own: 'Query' });
  });

  test('shows errors at their place in the document', async () => {
    const { errors } = await gateway.send({ documentId: idOf(NAME), variables: { id: 1.5 } });
    expect(errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT' }, locations: [{ line: 1, column: 12 }] },
    ]);
  });

  test.each([
    ['application/json', 200],
    ['*/*', 200],
    ['application/graphql-response+json', 400],
    ['application/graphql-response+json, application/json;q=0.9', 400],
  ])('with an unknown id and %s returns one error, and the status %s', async (accept, status) => {
    // Other white space is another document.
    for (const documentId of [idOf(`${NAME}\n`), 'unknown', 'x-app:unknown']) {
      const answer = await gateway.send({ documentId }, { accept });
      expect(answer).toEqual({
        status,
        type: expect.stringContaining(accept.includes('graphql') ? 'graphql-response' : '/json'),
        errors: [
          {
            message: expect.stringContaining('operator'),
            extensions: { code: 'PERSISTED_DOCUMENT_NOT_FOUND' },
          },
        ],
      });
    }
  });

  test.each([
    ['upper case', `sha256:${hashOf(NAME).toUpperCase()}`, '64 hexadecimal digits in lower case'],
    ['a hash that is too short', idOf(NAME).slice(0, -1), '64 hexadecimal digits'],
    ['a reserved prefix', `md5:${hashOf(NAME, 'md5')}`, 'must begin with `sha256:`'],
    ['no prefix before the colon', ':a', 'must begin with `sha256:`'],
    ['two colons', 'x-app:a:b', 'ASCII letters'],
    ['other characters', 'a/b', 'ASCII letters'],
    ['no characters', '', 'ASCII letters'],
    ['a number', 1, '`documentId` must be a string.'],
  ])('with %s as the id is malformed', async (_what, documentId, message) => {
    const answer = await gateway.send({ documentId });
    expect(answer).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_REQUEST' } }],
    });
    expect(answer.errors?.[0]?.message).toContain(message);
  });

  test('must not have a text, too, even if it is the same', async () => {
    for (const query of [NAME, '']) {
      const answer = await gateway.send({ documentId: idOf(NAME), query });
      expect(answer.status).toBe(400);
      expect(answer.errors?.[0]?.message).toContain('not both');
    }
  });

  test('with GET is not supported', async () => {
    const response = await fetch(`${gateway.url}/graphql?documentId=${idOf(OWN)}`);
    expect(response.status).toBe(405);
  });
});

test('queries by one id that are in flight at the same time are executed once', async () => {
  const { send } = await start({ 'all.json': manifest });
  const body = { documentId: idOf(NAME), variables: { id: merchantId } };
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(body)));
  for (const { data } of answers) expect(data.merchant.name).toEqual(expect.any(String));
  expect(stack.calls.length).toBeLessThan(20);
});

describe('PERSISTED_DOCUMENTS', () => {
  const off = { code: 'PERSISTED_DOCUMENTS_NOT_SUPPORTED' };

  test('off: an id is rejected with a code of its own, and texts work', async () => {
    const { send } = await start({ 'all.json': manifest }, { PERSISTED_DOCUMENTS: 'off' });
    expect(codesOf(await send({ documentId: idOf(NAME) }))).toEqual([off]);
    expect((await send({ query: UNKNOWN })).data).toEqual({ unknown: 'Query' });
    expect(codesOf(await stack.ask(UNKNOWN))).toEqual([]);
  });

  test.each(['prefer', 'report'])('%s: ids and all texts work', async (mode) => {
    const { send } = await start({ 'all.json': manifest }, { PERSISTED_DOCUMENTS: mode });
    expect((await send({ documentId: idOf(OWN) })).data).toEqual({ own: 'Query' });
    for (const [query, data] of [
      [UNKNOWN, { unknown: 'Query' }],
      [OWN, { own: 'Query' }],
    ]) {
      expect((await send({ query })).data).toEqual(data);
    }
  });

  const required = { code: 'PERSISTED_DOCUMENT_REQUIRED' };

  test.each([
    ['a valid document', UNKNOWN],
    ['another white space', `${OWN} `],
    ['what is not GraphQL', '}'],
    ['nothing', ''],
    ['200,000 tokens', `{ ${'a '.repeat(100_000)} }`],
    ['50,000 nested braces', '{a'.repeat(50_000)],
    ['fragments that contain themselves', '{ ...F } fragment F on Query { ...F ...F }'],
    ['the introspection query', '{ __schema { types { name } } }'],
  ])('only: %s is rejected without being parsed', async (_what, query) => {
    const { send } = await start({ 'all.json': manifest }, { PERSISTED_DOCUMENTS: 'only' });
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const answer = await send({ query }, { accept });
      expect(answer.status).toBe(accept === 'application/json' ? 200 : 400);
      expect(answer).not.toHaveProperty('data');
      expect(codesOf(answer)).toEqual([required]);
    }
    expect(stack.calls).toEqual([]);
  });

  test('only: known documents work, by their id and by their text', async () => {
    const { send } = await start({ 'all.json': manifest }, { PERSISTED_DOCUMENTS: 'only' });
    for (const body of [{ documentId: idOf(OWN) }, { query: OWN }]) {
      expect((await send(body)).data).toEqual({ own: 'Query' });
    }
    expect(codesOf(await send({ documentId: 'unknown' }))).toEqual([
      { code: 'PERSISTED_DOCUMENT_NOT_FOUND' },
    ]);
  });

  test('report: the line of each request shows what "only" would reject, without any text', async () => {
    const lines: string[] = [];
    const requestLog = createLog('info', { write: (line) => void lines.push(line) });
    const mode = { PERSISTED_DOCUMENTS: 'report' };
    for (const fastPath of [true, false]) {
      const { send } = await start({ 'all.json': manifest }, mode, { requestLog, fastPath });
      await send({ query: UNKNOWN });
      await send({ query: OWN });
      await send({ documentId: idOf(OWN) });
      await send({ documentId: idOf(TWO) });
      await send({ documentId: 'CANARY' });
      await send({ query: '{ CANARY }' });
      expect(lines.map((line) => JSON.parse(line).document)).toEqual([
        ...['unknown', 'persisted', 'persisted', 'persisted', 'unknown', 'unknown'],
      ]);
      expect(lines.join('')).not.toContain('CANARY');
      // An operator finds the document by it.
      expect(JSON.parse(lines[0] ?? '').documentHash).toBe(hashOf(UNKNOWN).slice(0, 16));
      lines.length = 0;
    }
  });

  test('the end of a request is published with the id of its document in the manifest', async () => {
    const ends: unknown[] = [];
    const listen = (end: unknown) => void ends.push(end);
    subscribe('tillgraph:request:end', listen);
    onTestFinished(() => void unsubscribe('tillgraph:request:end', listen));
    const { send } = await start({ 'all.json': manifest });
    await send({ documentId: idOf(OWN) });
    await send({ query: UNKNOWN });
    expect(ends).toMatchObject([{ documentId: 'x-app:own.1' }, { documentId: undefined }]);
  });

  test('only: a rejected request has a line with its code', async () => {
    const lines: string[] = [];
    const requestLog = createLog('info', { write: (line) => void lines.push(line) });
    const { send } = await start(
      { 'all.json': manifest },
      { PERSISTED_DOCUMENTS: 'only' },
      { requestLog },
    );
    await send({ query: UNKNOWN });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      document: 'unknown',
      status: 200,
      errorCodes: [required.code],
    });
  });

  test('a gateway without its documents does not start', () => {
    const settings = readGatewaySettings({
      PERSISTED_DOCUMENTS: 'only',
      PERSISTED_DOCUMENTS_PATH: 'all.json',
    });
    const store = createMemoryStore(Date.now, 1_000);
    const services = { usersUrl: stack.url, paymentsUrl: stack.url, posUrl: stack.url };
    expect(() => createGateway({ ...settings, services, store })).toThrow('not loaded');
  });
});

describe('the limits of known documents', () => {
  test('are those of every document, the complexity for each request', async () => {
    const ALIASES = `{ ${Array.from({ length: 31 }, (_, at) => `a${at}: __typename`).join(' ')} }`;
    await expect(start({ 'a.graphql': ALIASES }, {})).rejects.toThrow(
      /a\.graphql: .* too many aliases: 31\. .* Request less at once\./,
    );
    const COMPLEX =
      '{ merchants(first: 100) { edges { node { transactions(first: 100) { edges { node { id } } } } } } }';
    const { send } = await start({ 'a.graphql': COMPLEX }, { MAX_COMPLEXITY: '1000' });
    expect(codesOf(await send({ documentId: idOf(COMPLEX) }))).toEqual([
      { code: 'COMPLEXITY_LIMIT' },
    ]);
  });
});

describe('an export', () => {
  const LIST = `query ($id: ID!) { merchant(id: $id) { transactions(first: 1) { edges { node { id } } } } }`;

  async function exportFrom(url: string, body: object) {
    const response = await fetch(`${url}/export`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${stack.sandbox.demoApp.key}`,
      },
      body: JSON.stringify({ format: 'csv', variables: { id: merchantId }, ...body }),
    });
    return { status: response.status, text: await response.text() };
  }

  test('names a known document by its id or its text; "only" rejects every other one', async () => {
    const lines: string[] = [];
    const requestLog = createLog('info', { write: (line) => void lines.push(line) });
    const files = { 'list.graphql': LIST };
    const { url } = await start(files, { PERSISTED_DOCUMENTS: 'only' }, { requestLog });
    const expected = await exportFrom(stack.url, { query: LIST });
    expect(expected.text.split('\n').length).toBeGreaterThan(3);
    for (const document of [{ documentId: idOf(LIST) }, { query: LIST }]) {
      expect(await exportFrom(url, document)).toEqual(expected);
    }
    for (const line of lines) expect(JSON.parse(line).document).toBe('persisted');
    for (const query of [`${LIST} `, '}']) {
      const { status, text } = await exportFrom(url, { query });
      expect(status).toBe(400);
      expect(codesOf(JSON.parse(text))).toEqual([{ code: 'PERSISTED_DOCUMENT_REQUIRED' }]);
    }
    const unknown = await exportFrom(url, { documentId: 'unknown' });
    expect(codesOf(JSON.parse(unknown.text))).toEqual([{ code: 'PERSISTED_DOCUMENT_NOT_FOUND' }]);
    const both = await exportFrom(url, { documentId: idOf(LIST), query: LIST });
    expect(codesOf(JSON.parse(both.text))).toEqual([{ code: 'BAD_REQUEST' }]);
  });
});

describe('documents that are loaded again', () => {
  test('replace the earlier ones', async () => {
    const gateway = await start({ 'all.json': manifest }, { PERSISTED_DOCUMENTS: 'only' });
    writeDocuments(
      { 'all.json': { new: UNKNOWN, 'x-app:own.1': '{ changed: __typename }' } },
      gateway.folder,
    );
    expect(await gateway.load()).toBe(2);
    expect((await gateway.send({ documentId: 'new' })).data).toEqual({ unknown: 'Query' });
    expect((await gateway.send({ documentId: 'x-app:own.1' })).data).toEqual({ changed: 'Query' });
    expect(codesOf(await gateway.send({ documentId: idOf(OWN) }))).toEqual([
      { code: 'PERSISTED_DOCUMENT_NOT_FOUND' },
    ]);
    expect(codesOf(await gateway.send({ query: OWN }))).toEqual([
      { code: 'PERSISTED_DOCUMENT_REQUIRED' },
    ]);
  });

  test('and are not valid leave the earlier ones in force', async () => {
    const gateway = await start({ 'all.json': manifest });
    for (const broken of ['{', { a: '{ nothing }', b: OWN }]) {
      writeDocuments({ 'all.json': broken }, gateway.folder);
      await expect(gateway.load()).rejects.toThrow('all.json');
      expect((await gateway.send({ documentId: idOf(OWN) })).data).toEqual({ own: 'Query' });
      expect(codesOf(await gateway.send({ documentId: 'b' }))).toEqual([
        { code: 'PERSISTED_DOCUMENT_NOT_FOUND' },
      ]);
    }
  });
});
