import { composeServices as composeByApollo } from '@apollo/composition';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeServices as composeByHive } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../support/start-stack.ts';
import { REVIEWS_SDL, serve, startReviews } from './reviews-subgraph.ts';

let stack: Stack;
let reviews: Awaited<ReturnType<typeof startReviews>>;
type Payment = { id: string; amount: { decimal: string } };
type Person = { id: string; name: string };
let payments: Payment[];
let people: Person[];

beforeAll(async () => {
  stack = await startStack({ federation: true });
  const { data } = await stack.ask(`{
    merchants(first: 1) { edges { node { transactions(first: 2) { edges { node { id amount { decimal } } } } } } }
    users(first: 2) { edges { node { id name } } }
  }`);
  const nodes = <T>(list: { edges: { node: T }[] }) => list.edges.map(({ node }) => node);
  payments = nodes(data.merchants.edges[0].node.transactions);
  people = nodes(data.users);
  // The demo data has more than two of each.
  const [first, second] = payments as [Payment, Payment];
  const [ada, ben] = people as [Person, Person];
  reviews = await startReviews([
    { text: 'quick', transactionId: first.id, authorId: ada.id },
    { text: 'dear', transactionId: second.id, authorId: ben.id },
    { text: 'again', transactionId: first.id, authorId: ben.id },
  ]);
});
afterAll(async () => {
  await reviews?.close();
  await stack?.close();
});

async function readSdl(): Promise<string> {
  const { data } = await stack.ask('{ _service { sdl } }', {}, null);
  return data._service.sdl;
}

async function subgraphs() {
  return [
    { name: 'tillgraph', url: `${stack.url}/graphql`, sdl: await readSdl() },
    { name: 'reviews', url: reviews.url, sdl: REVIEWS_SDL },
  ];
}

describe('the composers', () => {
  test('Apollo composes the graph with a subgraph that extends it', async () => {
    const services = await subgraphs();
    const { errors, supergraphSdl } = composeByApollo(
      services.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) })),
    );
    expect(errors).toBeUndefined();
    expect(supergraphSdl).toMatch(/type Transaction[^{]*@join__type\(graph: REVIEWS, key: "id"\)/);
  });

  test('Hive composes the same', async () => {
    const { errors, supergraphSdl } = await composeOnce();
    expect(errors).toBeUndefined();
    expect(supergraphSdl).toMatch(/type User[^{]*@join__type\(graph: REVIEWS, key: "id"\)/);
  });

  test('the result has no `node` and `nodes`, which cannot be in two subgraphs', async () => {
    const { supergraphSdl = '' } = await composeOnce();
    expect(supergraphSdl).toContain('type Query');
    expect(supergraphSdl).not.toMatch(/^ {2}nodes?\(/m);
  });
});

async function composeOnce() {
  const services = await subgraphs();
  // A success has no `errors`, a failure no `supergraphSdl`: the test looks at both.
  return composeByHive(
    services.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) })),
  ) as { errors?: unknown; supergraphSdl?: string };
}

describe('a router in front of both', () => {
  let ask: (query: string, key?: string) => Promise<{ data?: unknown; errors?: unknown }>;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const { supergraphSdl } = await composeOnce();
    const router = createGatewayRuntime({
      supergraph: supergraphSdl ?? '',
      propagateHeaders: {
        fromClientToSubgraphs: ({ request }) => ({
          authorization: request.headers.get('authorization') ?? '',
        }),
      },
      logging: false,
    });
    const server = await serve(router);
    close = async () => {
      await server.close();
      await router[Symbol.asyncDispose]();
    };
    ask = async (query, key = stack.sandbox.demoApp.key) => {
      const response = await fetch(server.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ query }),
      });
      // The shape that GraphQL over HTTP prescribes.
      return (await response.json()) as { data?: unknown; errors?: unknown };
    };
  });
  afterAll(() => close?.());

  test('a payment of Tillgraph has the reviews of the other subgraph', async () => {
    const [first] = payments;
    const answer = await ask(
      `{ transaction(id: "${first?.id}") { amount { decimal } reviews { text } } }`,
    );
    expect(answer).toEqual({
      data: {
        transaction: {
          amount: { decimal: first?.amount.decimal },
          reviews: [{ text: 'quick' }, { text: 'again' }],
        },
      },
    });
  });

  test('a review of the other subgraph has the payment and author of Tillgraph, each read once', async () => {
    stack.calls.length = 0;
    const answer = await ask(`{
      reviews { text transaction { amount { decimal } merchant { name } } author { name reviews { text } } }
    }`);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toMatchObject({
      reviews: [
        { text: 'quick', transaction: payment(0), author: { name: people[0]?.name } },
        { text: 'dear', transaction: payment(1), author: { name: people[1]?.name } },
        {
          text: 'again',
          transaction: payment(0),
          author: { name: people[1]?.name, reviews: [{ text: 'dear' }, { text: 'again' }] },
        },
      ],
    });
    const read = stack.calls.filter((call) => call.endsWith('/transactions/:id'));
    expect(read).toHaveLength(2);
  });

  test('a wrong key is an error through the router too, not a missing record', async () => {
    const answer = await ask('{ reviews { transaction { amount { decimal } } } }', 'wrong');
    expect(JSON.stringify(answer.errors)).toContain('UNAUTHENTICATED');
  });
});

function payment(index: number) {
  return { amount: payments[index]?.amount, merchant: { name: 'Harbour Cycles' } };
}

describe('entities', () => {
  const entities = (representations: unknown[]) =>
    stack.ask(
      `query ($representations: [_Any!]!) {
        _entities(representations: $representations) { __typename ... on Transaction { id } }
      }`,
      { representations },
    );

  test('nodes are found by their ids, in the requested order', async () => {
    const [first] = payments;
    const [ada] = people;
    const { data, errors } = await entities([
      { __typename: 'User', id: ada?.id },
      { __typename: 'Transaction', id: first?.id },
    ]);
    expect(errors).toBeUndefined();
    expect(data._entities).toEqual([
      { __typename: 'User' },
      { __typename: 'Transaction', id: first?.id },
    ]);
  });

  test('a record that does not exist is null; a wrong reference is an error and the others are returned', async () => {
    const [first] = payments;
    const { data, errors } = await entities([
      { __typename: 'Transaction', id: 'txn_000000000000000000000000' },
      { __typename: 'User', id: first?.id },
      { __typename: 'Transaction' },
      { __typename: 'Transaction', id: first?.id },
    ]);
    expect(data._entities).toEqual([
      null,
      null,
      null,
      { __typename: 'Transaction', id: first?.id },
    ]);
    expect(Object.fromEntries(errors?.map((one) => [one.path?.[1], one.message]) ?? [])).toEqual({
      1: '`id` is an id of type Transaction; `__typename` is another type.',
      2: 'Each representation must have `__typename` and `id`.',
    });
  });

  test('without the setting the field does not exist', async () => {
    const plain = await startStack();
    const { errors } = await plain.ask('{ _service { sdl } }');
    await plain.close();
    expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});
