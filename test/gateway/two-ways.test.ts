import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { responses } from '../../src/gateway/channels.ts';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { given } from '../support/given.ts';
import { type Stack, type StackOptions, startGateway, startStack } from '../support/start-stack.ts';
import { accepts, type CorpusRequest, createCorpus } from './support/corpus.ts';

type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** What makes the gateway faster. The first one is without all of it, the second one with it. */
const ways: readonly (readonly [name: string, env: Record<string, string>, readsAhead: boolean])[] =
  [
    ['plain', { FAST_PATH: 'off', JIT: 'off', COALESCE: 'off' }, false],
    ['usual', {}, true],
    ['COALESCE=off', { COALESCE: 'off' }, true],
    ['FAST_PATH=off', { FAST_PATH: 'off' }, true],
    ['JIT=off', { JIT: 'off' }, true],
    ['nothing read ahead', {}, false],
  ];

let stack: Stack;
let corpus: readonly CorpusRequest[];
const gateways: Gateway[] = [];
const agent = new Agent({ keepAlive: true });
beforeAll(async () => {
  stack = await startStack();
  for (const [, env, readsAhead] of ways) gateways.push(await startWith(env, {}, readsAhead));
  corpus = createCorpus(await findIds(), stack.sandbox.demoApp.key);
});
afterAll(async () => {
  agent.destroy();
  await Promise.all(gateways.map(({ close }) => close()));
  await stack?.close();
});

function startWith(
  env: Record<string, string>,
  options: Pick<StackOptions, 'rate'> = {},
  readsAhead = true,
): Promise<Gateway> {
  const { usersUrl, paymentsUrl, posUrl, demoApp } = stack.sandbox;
  const { coalesce, fastPath, plans, http } = readGatewaySettings({
    CORS_ORIGINS: 'https://shop.example',
    ...env,
  });
  return startGateway({
    ...{ coalesce, fastPath, readsAhead, plans, http },
    usersAccess: [demoApp.id],
    services: { usersUrl, paymentsUrl, posUrl },
    ...options,
  });
}

async function findIds() {
  const { id: merchant } = await given(stack).merchant();
  const transaction = await given(stack).successful(merchant);
  const { data } = await stack.ask(
    `query ($id: ID!) { merchant(id: $id) { lines { edges { node { id } } } disputes { edges { node { id } } }
      fraudAlerts { edges { node { id } } } } users { edges { node { id } } } }`,
    { id: merchant },
  );
  const first = (list: { edges: { node: { id: string } }[] }) => list.edges[0]?.node.id ?? '';
  const { lines, disputes, fraudAlerts } = data.merchant;
  return {
    ...{ merchant, transaction, line: first(lines), dispute: first(disputes) },
    ...{ fraudAlert: first(fraudAlerts), user: first(data.users) },
  };
}

/** The complete response, as text: status, headers without the date, and body. */
function send({ url }: Gateway, { body, headers }: CorpusRequest): Promise<string> {
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/graphql`,
      { method: 'POST', agent, headers: { ...headers, 'content-length': bytes.length } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject).on('end', () => {
          const { date: _date, ...others } = response.headers;
          resolve(JSON.stringify([response.statusCode, others, text]));
        });
      },
    );
    sent.on('error', (error) => resolve(`${error} after ${JSON.stringify(headers)}`)).end(bytes);
  });
}

/** Sends a request alone, twice at once, and alone again when it may be compiled. */
async function sendRepeatedly(gateway: Gateway, sent: CorpusRequest): Promise<string[]> {
  const first = await send(gateway, sent);
  const together = await Promise.all([send(gateway, sent), send(gateway, sent)]);
  return [first, ...together, await send(gateway, sent)];
}

/** Those that get a request. Every day, the ways after the usual one take turns. */
function takingPart(index: number): readonly number[] {
  const all = gateways.map((_, at) => at);
  if (inject('scale') > 1) return all;
  const [plain = 0, usual = 1, ...others] = all;
  return [plain, usual, others[index % others.length] ?? usual];
}

test('every way to answer has the same responses, byte for byte', async () => {
  expect(corpus.length).toBeGreaterThanOrEqual(300);
  const differing: object[] = [];
  for (const [index, sent] of corpus.entries()) {
    // Before a connection has had so many requests that the gateway closes it.
    if (index % 200 === 199) agent.destroy();
    const [plain, ...others] = takingPart(index).flatMap((at) => gateways[at] ?? []);
    const expected = plain && (await send(plain, sent));
    const all = await Promise.all(others.map((each) => sendRepeatedly(each, sent)));
    for (const [at, responses] of all.entries()) {
      const other = responses.find((response) => response !== expected);
      if (other !== undefined) {
        const { body, headers } = sent;
        differing.push({
          way: ways[takingPart(index)[at + 1] ?? 0]?.[0],
          body: String(body).slice(0, 300),
          headers,
          expected,
          other,
        });
      }
    }
  }
  expect(differing).toEqual([]);
  for (const { bugs } of gateways) expect(bugs).toEqual([]);
});

test.each(accepts)('for `accept: %j`, the response has the type %s', async (accept, type) => {
  const paths: unknown[] = [];
  const note = (message: unknown) => paths.push(message);
  subscribe(responses.name, note);
  onTestFinished(() => void unsubscribe(responses.name, note));
  const headers = { 'content-type': 'application/json', accept };
  const [plain, usual] = gateways;
  for (const gateway of [plain, usual]) {
    const sent = { body: '{"query":"{ __typename }"}', headers };
    const [status, received] = JSON.parse(gateway ? await send(gateway, sent) : '');
    expect([status, received['content-type']]).toEqual(
      type === undefined
        ? [406, 'application/json; charset=utf-8']
        : [200, type === 'text/event-stream' ? type : `${type}; charset=utf-8`],
    );
  }
  const usualPath = type === 'text/event-stream' ? 'yoga' : 'fast';
  expect(paths).toEqual(type === undefined ? [] : [{ path: 'yoga' }, { path: usualPath }]);
});

test.each(ways)(
  'a request beyond the use of a minute has the same response: %s',
  async (_way, env) => {
    const gateway = await startWith(env, {
      rate: { pointsPerMinute: 3, keylessPerMinute: 0 },
    });
    const [sent] = corpus.filter(({ body }) =>
      String(body).includes('{ viewer { id rawId name } }'),
    );
    if (sent === undefined) throw new Error('The corpus has no such request.');
    const responses = await Promise.all(Array.from({ length: 6 }, () => send(gateway, sent)));
    const statuses = responses.map((response) => JSON.parse(response)[0]);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 429, 429, 429]);
    const limited = responses.filter((response) => response.startsWith('[429'));
    const withoutTimes = limited.map((response) =>
      response.replaceAll(/\d{3,}|"retry-after":"\d+"/g, ''),
    );
    expect(withoutTimes[0]).toContain('RATE_LIMITED');
    expect(new Set(withoutTimes).size).toBe(1);
    await gateway.close();
  },
);

test('a caller who has to wait gets the same responses from every gateway, to whatever is sent', async () => {
  const [sent] = corpus.filter(({ body }) => String(body).includes('{ viewer { id rawId name } }'));
  if (sent === undefined) throw new Error('The corpus has no such request.');
  const others = ['{"query":"{"}', '{"query":"{ nothing }"}', '{"documentId":"unknown"}', '{'];
  const accepted = new Set(corpus.map(({ headers }) => headers?.accept));
  const all = [
    ...others.map((body) => ({ ...sent, body })),
    ...[...accepted].map((accept) => ({
      ...sent,
      headers: { ...sent.headers, ...(accept && { accept }) },
    })),
  ];
  const responses: string[] = [];
  for (const [, env] of ways) {
    const gateway = await startWith(env, {
      rate: { pointsPerMinute: 1, keylessPerMinute: 0 },
    });
    await send(gateway, sent);
    const got = [await send(gateway, sent)];
    for (const each of all) got.push(await send(gateway, each));
    responses.push(got.join('\n').replaceAll(/\d{3,}|"retry-after":"\d+"|t=\d+/g, ''));
    await gateway.close();
  }
  expect(responses[0]?.match(/RATE_LIMITED/g)?.length).toBeGreaterThan(others.length);
  expect(new Set(responses).size).toBe(1);
});
