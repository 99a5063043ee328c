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
  ['BAD_REQUEST', '{'],
])('%s is the code of %s', async (code, body) => {
  const response = await fetch(`${stack.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
  expect(errors[0]?.extensions.code).toBe(code);
});
