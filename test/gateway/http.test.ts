import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

describe('the GraphQL-over-HTTP audit', () => {
  const audits = serverAudits({ url: () => `${stack.url}/graphql`, fetchFn: fetch });
  const binding = audits.filter(({ name }) => /^(MUST|SHOULD)/.test(name));

  test('has all of its checks', () => {
    expect(binding.length).toBeGreaterThanOrEqual(36);
  });

  test.each(binding.map((audit) => [audit.name, audit] as const))('%s', async (_name, audit) => {
    const result = await audit.fn();
    expect('reason' in result ? result.reason : result.status).toBe('ok');
  });
});

describe('the endpoint', () => {
  function post(headers: Record<string, string>, body = '{"query":"{ __typename }"}') {
    return fetch(`${stack.url}/graphql`, { method: 'POST', headers, body });
  }

  test.each([
    ['application/x-www-form-urlencoded', 'query={__typename}'],
    ['text/plain', undefined],
    ['application/graphql', '{ __typename }'],
    ['application/json; charset=utf-16', undefined],
    ['multipart/form-data; boundary=x', '--x--'],
  ])('rejects %s, which a browser sends to other sites without asking them', async (type, body) => {
    const response = await post({ 'content-type': type }, body);
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }],
    });
  });

  test('does not let other sites read an answer', async () => {
    const response = await post({
      'content-type': 'application/json',
      origin: 'https://evil.example',
    });
    expect(response.status).toBe(200);
    expect(
      [...response.headers.keys()].filter((name) => name.startsWith('access-control')),
    ).toEqual([]);
  });

  test('has a health check that needs no key', async () => {
    const response = await fetch(`${stack.url}/health`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  test('keeps a connection longer than load balancers do, and says how long', async () => {
    const response = await fetch(`${stack.url}/health`);
    expect(response.headers.get('keep-alive')).toContain('timeout=65');
  });

  test('never makes a browser ask for a password', async () => {
    const response = await post(
      { 'content-type': 'application/json' },
      '{"query":"{ viewer { id } }"}',
    );
    expect(response.status).toBe(200);
    expect(response.headers.get('www-authenticate')).toBeNull();
  });

  test.each([
    ['Basic with an empty user name', (key: string) => `Basic ${btoa(`:${key}`)}`, true],
    ['Bearer', (key: string) => `Bearer ${key}`, true],
    ['the scheme in mixed case', (key: string) => `bEARER ${key}`, true],
    ['Basic with a user name', (key: string) => `Basic ${btoa(`me:${key}`)}`, false],
    ['another scheme', (key: string) => `Digest ${key}`, false],
    ['no scheme', (key: string) => key, false],
    ['a key with a space', (key: string) => `Bearer ${key} x`, false],
    ['a key that is too long', () => `Bearer ${'x'.repeat(201)}`, false],
    ['an empty key', () => `Basic ${btoa(':')}`, false],
  ])('accepts or rejects a key as %s', async (_what, header, accepted) => {
    const response = await post(
      { 'content-type': 'application/json', authorization: header(stack.sandbox.demoApp.key) },
      '{"query":"{ viewer { name } }"}',
    );
    const { data, errors } = await response.json();
    expect(data).toEqual({ viewer: accepted ? { name: 'Demo' } : null });
    expect(errors?.[0].extensions.code).toBe(accepted ? undefined : 'UNAUTHENTICATED');
  });

  test('does not exist at other paths', async () => {
    expect((await fetch(`${stack.url}/x`)).status).toBe(404);
    expect((await fetch(`${stack.url}/graphql/x`)).status).toBe(404);
  });
});
