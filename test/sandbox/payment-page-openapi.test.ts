import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { openPaymentPage, type PaymentPage } from './payment-page.ts';
import type { AnyRecord } from './shop.ts';

let sandbox: Sandbox;
let page: PaymentPage;
let document: AnyRecord;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  page = await openPaymentPage(sandbox);
  document = (await rest(sandbox.posUrl).get('/openapi.json')).body;
});
afterAll(() => sandbox.close());

test('the document of the payment page is valid OpenAPI 3.1 and names its server', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect([valid, errors]).toEqual([true, undefined]);
  expect(document.servers).toEqual([{ url: sandbox.posUrl }]);
  expect(Object.keys(document.paths)).toEqual(['/']);
  const methods = Object.keys(document.paths['/']).map((method) => `${method.toUpperCase()} /`);
  expect(methods).toEqual(sandbox.operations.pos);
});

test('the path / stays the payment page, and an unknown path names the document', async () => {
  const root = await fetch(sandbox.posUrl);
  expect([root.status, await root.text()]).toEqual([400, expect.stringContaining('KEY_MISSING')]);
  const { status, body } = await rest(sandbox.posUrl).get('/pay');
  expect([status, body.message]).toEqual([404, expect.stringContaining('GET /openapi.json')]);
});

/** The described example as a form, with brackets for nested fields. */
function exampleForm(): URLSearchParams {
  const { content } = document.paths['/'].post.requestBody;
  const { example } = content['application/x-www-form-urlencoded'].schema;
  const { card, ...flat } = example;
  const nested = Object.entries<string>(card).map(([name, value]) => [`card[${name}]`, value]);
  return new URLSearchParams([...nested, ...Object.entries<string>(flat)]);
}

const url = (query = '') => `${sandbox.posUrl}/?key=${page.key}&test=1${query}`;

describe('a form as described', () => {
  test('makes a payment', async () => {
    const response = await fetch(url(), { method: 'POST', body: exampleForm() });
    const [, id] = /<main data-transaction-id="(\w+)">/.exec(await response.text()) ?? [];
    const paid = (await page.shop.payments.get(`/transactions/${id}`)).body.transaction;
    expect(paid).toMatchObject({ amount: 950, successful: true, card: { last4: '0000' } });
  });

  test('can be sent as JSON, too', async () => {
    const { schema } = document.paths['/'].post.requestBody.content['application/json'];
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(schema.example);
    expect((await fetch(url(), { method: 'POST', body, headers })).status).toBe(200);
  });
});

test.each<readonly [string, () => Promise<Response>]>([
  ['get 200', () => fetch(url())],
  ['get 400', () => fetch(url('&currency=XXX'))],
  ['get 414', () => fetch(url(`&x=${'x'.repeat(8 * 1024)}`))],
  ['post 200', () => fetch(url(), { method: 'POST', body: exampleForm() })],
  [
    'post 303',
    () =>
      fetch(url('&redirect=https://shop.example'), {
        method: 'POST',
        body: exampleForm(),
        redirect: 'manual',
      }),
  ],
  ['post 400', () => fetch(url(), { method: 'POST', body: new URLSearchParams({ amount: 'x' }) })],
  [
    'post 400',
    () => fetch(url(), { method: 'POST', body: new URLSearchParams({ 'card[]': '1' }) }),
  ],
  ['post 413', () => fetch(url(), { method: 'POST', body: 'x'.repeat(64 * 1024 + 1) })],
  [
    'post 414',
    () => fetch(url(`&x=${'x'.repeat(8 * 1024)}`), { method: 'POST', body: exampleForm() }),
  ],
  ['post 415', () => fetch(url(), { method: 'POST', body: 'x' })],
])('%s has a described content type (%#)', async (name, send) => {
  const [method = '', status = ''] = name.split(' ');
  const response = await send();
  expect(response.status).toBe(Number(status));
  const { [status]: direct } = document.paths['/'][method].responses;
  const { content = {}, headers = {} } =
    direct.$ref === undefined ? direct : document.components.responses[status];
  const type = response.headers.get('content-type')?.split(';')[0];
  expect(Object.keys(content).includes(type ?? '')).toBe(type !== undefined);
  for (const header of Object.keys(headers)) expect(response.headers.get(header)).not.toBeNull();
  await response.body?.cancel();
});

test('every status of the document is provoked above', () => {
  const { get, post } = document.paths['/'];
  expect(Object.keys(get.responses)).toEqual(['200', '400', '414']);
  expect(Object.keys(post.responses)).toEqual(['200', '303', '400', '413', '414', '415']);
});

test('the parameters of the document are those that the page reads', async () => {
  const names: string[] = document.paths['/'].get.parameters.map(({ name }: AnyRecord) => name);
  const ofForm: string[] = document.paths['/'].post.parameters.map(({ name }: AnyRecord) => name);
  expect(names).toEqual([...ofForm, 'amount']);
  // The page rejects every parameter that it reads if it is given twice.
  for (const name of ofForm) {
    const response = await fetch(url(`&${name}=1&${name}=1`));
    expect([name, response.status]).toEqual([name, 400]);
    expect(await response.text()).toContain('PARAMETER_INVALID');
  }
});
