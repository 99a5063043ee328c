import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

test.each([
  ['GRAPHQL_PARSE_FAILED', JSON.stringify({ query: '{' })],
  ['GRAPHQL_VALIDATION_FAILED', JSON.stringify({ query: '{ nothing }' })],
  [
    'OPERATION_RESOLUTION_FAILURE',
    JSON.stringify({ query: 'query A { a: __typename } query B { b: __typename }' }),
  ],
  ['BAD_REQUEST', '{'],
  ['BAD_USER_INPUT', JSON.stringify({ query: 'query ($id: ID!) { transaction(id: $id) { id } }' })],
])('%s is the code of %s', async (code, body) => {
  const response = await fetch(`${stack.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  // The shape that GraphQL over HTTP prescribes.
  const { errors } = (await response.json()) as { errors: { extensions?: { code: string } }[] };
  expect(errors).toHaveLength(1);
  expect(errors[0]?.extensions?.code).toBe(code);
});
