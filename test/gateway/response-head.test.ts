import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.close());

test.each(['*/*', 'text/event-stream', 'multipart/mixed', 'text/html', 'x'])(
  'a response to Accept: %s has every header once, and may not be stored',
  async (accept) => {
    const headers = { accept, 'content-type': 'application/json' };
    const sent = request(`${stack.url}/graphql`, { method: 'POST', headers });
    sent.end(JSON.stringify({ query: '{ __typename }' }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    const names = response.rawHeaders.filter((_, at) => at % 2 === 0);
    expect(names).toEqual([...new Set(names)]);
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  },
);
