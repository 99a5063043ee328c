import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

// The checks of graphql-cop, a public list of what is often wrong with GraphQL servers, as
// requests to a gateway with the settings of production.

let stack: Stack;
beforeAll(async () => {
  stack = await startStack(readGatewaySettings({ NODE_ENV: 'production' }));
});
afterAll(() => stack.close());
beforeEach(() => {
  stack.calls.length = 0;
  stack.bugs.length = 0;
});

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const repeat = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(' ');

const post = (query: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': JSON_TYPE },
  body: JSON.stringify({ query }),
});
const form = (query: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': FORM_TYPE },
  body: new URLSearchParams({ query }).toString(),
});

const mutation = 'mutation { createApp(input: {}) { __typename } }';
const typename = '{ __typename }';
const page: RequestInit = { headers: { accept: 'text/html' } };
const batch = JSON.stringify(Array(10).fill({ query: typename }));
const circular = `{ __schema { types ${'{ fields { type '.repeat(4)} { name } ${'} }'.repeat(4)} } }`;
const suggestions = '{ merchantz { id } __typenam }';

/** What is sent, and the status and the error code that the answer must have. */
type Check = readonly [name: string, path: string, init: RequestInit, status: number, code: string];

const INVALID = 'GRAPHQL_VALIDATION_FAILED';
const checks: readonly Check[] = [
  ['introspection', '/graphql', post(getIntrospectionQuery()), 200, INVALID],
  ['GraphiQL', '/graphql', page, 405, 'METHOD_NOT_ALLOWED'],
  ['GraphiQL at another path', '/graphiql', page, 404, 'NOT_FOUND'],
  ['Playground', '/playground', page, 404, 'NOT_FOUND'],
  ['the console', '/console', page, 404, 'NOT_FOUND'],
  ['field suggestions', '/graphql', post(suggestions), 200, INVALID],
  ['a query by GET', `/graphql?query=${typename}`, {}, 405, 'METHOD_NOT_ALLOWED'],
  ['a mutation by GET', `/graphql?query=${mutation}`, {}, 405, 'METHOD_NOT_ALLOWED'],
  ['a query in a form', '/graphql', form(typename), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['a mutation in a form', '/graphql', form(mutation), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  [
    '101 aliases',
    '/graphql',
    post(`{ ${repeat(101, (at) => `a${at}: __typename`)} }`),
    200,
    'ALIAS_LIMIT',
  ],
  ['a batch', '/graphql', { ...post(typename), body: batch }, 400, 'BAD_REQUEST'],
  [
    'ten directives',
    '/graphql',
    post(`{ __typename ${repeat(10, () => '@aa')} }`),
    200,
    'DIRECTIVE_LIMIT',
  ],
  [
    '500 times the same field',
    '/graphql',
    post(`{ ${repeat(500, () => '__typename')} }`),
    200,
    'ROOT_FIELD_LIMIT',
  ],
  ['introspection in a circle', '/graphql', post(circular), 200, INVALID],
  ['a request without a query', '/graphql', { ...post(''), body: '{}' }, 400, 'BAD_REQUEST'],
  ['an unknown directive', '/graphql', post('{ __typename @abc }'), 200, INVALID],
];

test.each(checks)('%s is rejected', async (_name, path, init, status, code) => {
  const response = await fetch(stack.url + path, init);
  const text = await response.text();
  expect(response.status).toBe(status);
  // A batch gets an error for each of its operations.
  for (const body of [JSON.parse(text)].flat()) {
    expect(body).toEqual({ errors: expect.any(Array) });
    for (const error of body.errors) expect(error.extensions).toEqual({ code });
  }
  expect(text).not.toMatch(/Did you mean|stacktrace|node_modules|\.[jt]s:\d/);
  expect(stack.calls).toEqual([]);
  expect(stack.bugs).toEqual([]);
});

test('no trace or debug information is in an answer', async () => {
  for (const headers of [{}, { 'apollo-federation-include-trace': 'ftv1', 'x-debug': '1' }]) {
    const init = post(typename);
    const response = await fetch(`${stack.url}/graphql?debug=1`, {
      ...init,
      headers: { ...init.headers, ...headers },
    });
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
    expect([...response.headers.keys()].filter((name) => /trac|debug|powered/.test(name))).toEqual(
      [],
    );
  }
});
