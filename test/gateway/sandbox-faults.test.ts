import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Control, createControl } from '../../src/sandbox/testing/control-client.ts';
import type { Answer } from '../support/ask.ts';
import { patientGateway } from '../support/patience.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { type Documents, operations, prepareDocuments } from './support/every-operation.ts';

// Every fault of the sandbox on every operation of the services, as a client of the gateway sees
// it. What exactly a client sees of each response is in fault-table.test.ts.

let stack: Stack;
let documents: Documents;
let control: Control;

beforeAll(async () => {
  const limits = { ...patientGateway.limits, getMs: 400, writeMs: 400 };
  stack = await startStack({ controlPort: 0, ...patientGateway, limits });
  documents = await prepareDocuments(stack);
  control = createControl(stack.sandbox.controlUrl ?? '');
});
afterAll(() => stack.close());

/** What a write that got this fault may have done: nothing, all, or either, as the client sees it. */
type Effect = 'NONE' | 'DONE';

const faults = [
  ['a delay', { kind: 'delay', delayMs: 1 }, 'DONE'],
  ['stale reads', { kind: 'stale', agoMs: 1 }, 'DONE'],
  ['a status before the write', { kind: 'status', status: 500 }, 'NONE'],
  ['a status after the write', { kind: 'status', status: 503, applied: true }, 'DONE'],
  ['a rate limit', { kind: 'rateLimit', requests: 0, periodMs: 1_000 }, 'NONE'],
  ['a connection dropped before the write', { kind: 'drop' }, 'NONE'],
  ['a connection dropped after the write', { kind: 'drop', applied: true }, 'DONE'],
  ['no response, and no write', { kind: 'silence' }, 'NONE'],
  ['no response after the write', { kind: 'silence', applied: true }, 'DONE'],
  ['half a response', { kind: 'truncate' }, 'DONE'],
  ['a response that is not JSON', { kind: 'garble' }, 'DONE'],
] as const satisfies [string, Parameters<Control['faults']['add']>[0], Effect][];

const CODES = ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_BAD_RESPONSE'];
/** Codes with which the gateway says that a write was not made. */
const NOT_MADE = ['NOT_SENT', ...CODES];

/** In the everyday suite, each fault meets a part of the operations, and each operation some faults. */
const PARTS = inject('scale') === 1 ? 3 : 1;

describe.each(faults.map((fault, index) => [...fault, index] as const))('%s', (...given) => {
  const [, fault, effect, index] = given;
  const isHarmless = fault.kind === 'delay' || fault.kind === 'stale';

  test('leads to an honest answer to every operation, and no write is sent twice', async () => {
    const met = operations.filter((_operation, at) => (at + index) % PARTS === 0);
    for (const [rest, , operation] of met) {
      const [method = '', route = ''] = rest.replace(/ \(.*$/, '').split(' ');
      // To a read, it makes no difference whether the service handled it.
      if (method === 'GET' && 'applied' in fault) continue;
      if (method !== 'GET' && fault.kind === 'stale') continue;
      const document = await documents.fill(operation);
      const { id } = await control.faults.add({
        ...fault,
        ...{
          method: method as 'GET',
          route,
          service: route.startsWith('/users') ? 'users' : 'payments',
        },
      });
      await control.requests.clear();
      const answer = await stack.ask(document);
      await control.faults.remove(id);
      const sent = (await control.requests.list()).filter(
        (request) => request.method === method && request.path === route,
      );
      const seen = { rest, ...(method === 'GET' ? readOf(answer) : writeOf(answer)) };
      if (isHarmless) {
        expect(seen).toEqual({ rest, verdict: 'FOUND' });
      } else if (method === 'GET') {
        expect(seen).toEqual({ rest, verdict: 'FAILED' });
      } else {
        expect(sent.length, rest).toBe(1);
        const honest = effect === 'DONE' ? ['FOUND', 'UNKNOWN'] : ['NOT_MADE', 'UNKNOWN'];
        expect({ rest, verdict: honest }).toEqual({
          rest,
          verdict: expect.arrayContaining([seen.verdict]),
        });
      }
    }
    expect(stack.bugs).toEqual([]);
  });
});

/** Whether a read was answered, or failed with a code of the table. */
function readOf({ data, errors = [] }: Answer) {
  if (errors.length === 0) return { verdict: 'FOUND' };
  const codes = errors.map(({ extensions }) => extensions.code);
  const known = codes.every((code) => CODES.includes(String(code)));
  return { verdict: known ? 'FAILED' : JSON.stringify({ data, codes }) };
}

/** What the answer to a write says about its effect. */
function writeOf({ data, errors = [] }: Answer) {
  const [error] = errors;
  if (error !== undefined) {
    const { code, outcome } = error.extensions;
    if (outcome === 'UNKNOWN') return { verdict: 'UNKNOWN' };
    return { verdict: NOT_MADE.includes(String(code)) ? 'NOT_MADE' : JSON.stringify(error) };
  }
  const [result] = Object.values<{ __typename: string; message?: string }>(data);
  if (result?.__typename === 'OutcomeUnknownError') return { verdict: 'UNKNOWN' };
  if (result?.__typename === 'RequestError') return { verdict: 'NOT_MADE' };
  return { verdict: 'FOUND' };
}
