import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import UploadHttpLink from 'apollo-upload-client/UploadHttpLink.mjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWithDocuments } from '../gateway/support/persisted.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const NAME = '{ viewer { name } }';
const RAW_ID = '{ viewer { rawId } }';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hasBody = ({ body }: RequestInit) => body != null;

/** The requests of a client, and the status of each response. */
function watchFetch(url = stack.url) {
  const sent: string[] = [];
  const watched: typeof fetch = async (input, init = {}) => {
    const response = await fetch(input, init);
    const body = hasBody(init) ? String(init.body) : decodeURIComponent(String(input));
    const hash = body.includes('sha256Hash') ? ' hash' : '';
    const text = /"query":"|[?&]query=/.test(body) ? ' text' : '';
    sent.push(`${init.method}${hash}${text} ${response.status}`);
    return response;
  };
  const headers = { authorization: `Bearer ${stack.sandbox.demoApp.key}` };
  return { sent, options: { uri: `${url}/graphql`, fetch: watched, headers } };
}

const apolloWith = (...links: ApolloLink[]) =>
  new ApolloClient({
    link: ApolloLink.from(links),
    cache: new InMemoryCache(),
    incrementalHandler: new Defer20220824Handler(),
  });

/** Errors are returned, and nothing is kept. */
const asked = { fetchPolicy: 'no-cache', errorPolicy: 'all' } as const;

describe('automatic persisted queries', () => {
  test.each([
    ['POST', false, ['POST hash 400', 'POST text 200', 'POST text 200']],
    ['GET', true, ['GET hash 405', 'POST text 200', 'POST text 200']],
  ])('Apollo Client falls back to texts after one %s', async (_method, useGet, expected) => {
    const { sent, options } = watchFetch();
    const client = apolloWith(
      new PersistedQueryLink({ sha256, useGETForHashedQueries: useGet }),
      new HttpLink(options),
    );
    for (const [query, field] of [
      [NAME, 'name'],
      [RAW_ID, 'rawId'],
    ] as const) {
      const { data, error } = await client.query<{ viewer: object }>({
        ...asked,
        query: gql(query),
      });
      expect(error).toBeUndefined();
      expect(data?.viewer).toMatchObject({ [field]: expect.any(String) });
    }
    expect(sent).toEqual(expected);
  });

  test('urql falls back to texts, as docs/clients.md sets it up', async () => {
    const { sent, options } = watchFetch();
    const client = new Client({
      url: options.uri,
      fetch: options.fetch,
      fetchOptions: { headers: options.headers },
      preferGetMethod: false,
      exchanges: [
        persistedExchange({
          preferGetForPersistedQueries: false,
          generateHash: async (query) => sha256(query),
        }),
        fetchExchange,
      ],
    });
    for (const query of [NAME, RAW_ID]) {
      const { data, error } = await client.query(query, {});
      expect(error).toBeUndefined();
      expect(data.viewer).toEqual(expect.any(Object));
    }
    expect(sent).toEqual(['POST hash 400', 'POST text 200', 'POST text 200']);
  });

  test.each([
    // Apollo Client sends the text of a document that is not known.
    ['prefer', ['POST hash 200', 'POST hash 400', 'POST hash text 200'], undefined],
    [
      'only',
      ['POST hash 200', 'POST hash 400', 'POST hash text 400'],
      'PERSISTED_DOCUMENT_REQUIRED',
    ],
  ])('are executed if the gateway knows the document: %s', async (mode, expected, code) => {
    // As Apollo Client sends it.
    const known = '{\n  viewer {\n    name\n    __typename\n  }\n}';
    const operations = [{ id: sha256(known), name: '', type: 'query', body: known }];
    const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations };
    const gateway = await startWithDocuments(
      stack,
      { 'manifest.json': manifest },
      { PERSISTED_DOCUMENTS: mode },
    );
    const { sent, options } = watchFetch(gateway.url);
    const client = apolloWith(new PersistedQueryLink({ sha256 }), new HttpLink(options));
    const { data } = await client.query({ ...asked, query: gql(NAME) });
    expect(data).toMatchObject({ viewer: { name: 'Demo' } });
    const { error } = await client.query({ ...asked, query: gql(RAW_ID) });
    expect(JSON.stringify(error)).toEqual(code && expect.stringContaining(code));
    expect(sent).toEqual(expected);
    await gateway.close();
  });
});

test('each operation of a batch of Apollo Client gets the error', async () => {
  const { sent, options } = watchFetch();
  const client = apolloWith(new BatchHttpLink({ ...options, batchInterval: 10 }));
  const results = await Promise.all(
    [NAME, RAW_ID].map((query) => client.query({ ...asked, query: gql(query) })),
  );
  for (const { error } of results) expect(error?.message).toContain('in its own request');
  expect(sent).toEqual(['POST text 400']);
});

test('an upload of apollo-upload-client gets an error that says what is not supported', async () => {
  const { options } = watchFetch();
  const client = apolloWith(new UploadHttpLink(options));
  const { error } = await client.query({
    ...asked,
    query: gql`query ($file: ID!) { node(id: $file) { id } }`,
    variables: { file: new File(['x'], 'x.txt') },
  });
  expect(error?.message).toContain('Uploads are not supported.');
});

test('a deferred fragment of Apollo Client is an error by name, and not a part', async () => {
  const { options } = watchFetch();
  const client = apolloWith(new HttpLink(options));
  const { error } = await client.query({
    ...asked,
    query: gql`{ viewer { id ... @defer { name } } }`,
  });
  expect(error?.message).toBe('Unknown directive "@defer".');
  // What it asks for is no reason to reject a query without deferred fragments.
  const accept = 'multipart/mixed;deferSpec=20220824,application/json';
  const { data } = await client.query({
    ...asked,
    query: gql(NAME),
    context: { headers: { accept } },
  });
  expect(data).toMatchObject({ viewer: { name: 'Demo' } });
});
