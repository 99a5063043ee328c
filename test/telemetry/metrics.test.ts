import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { EUR_MERCHANT } from '../control/subject.ts';
import { flood } from '../support/flood.ts';
import { emptyFolder, startProgram, usedPostgres } from '../support/program.ts';
import { startCollector, toCollector } from './collector.ts';
import { metricConventions } from './conventions.ts';

const promtool = findPromtool();
const why = promtool === undefined ? ' (skipped: promtool is not installed)' : '';
if (why !== '') console.warn(`Checks of Prometheus${why}`);

function findPromtool(): string | undefined {
  const found = spawnSync('promtool', ['--version']);
  return found.error === undefined ? 'promtool' : undefined;
}

async function startMeasured(settings: Readonly<Record<string, string>> = {}) {
  const program = await startProgram({
    ...(await usedPostgres()),
    OPERATIONS_PORT: '0',
    SYNC: 'off',
    ...settings,
  });
  const scrape = async () => (await fetch(program.metricsUrl)).text();
  return { program, scrape };
}

/** A user record of the demo data. */
const USER = 'usr_64bb5f04-f4c5-42cb-bfa8-409a29dcff44';

const send = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** The value of a series, whose labels contain these. */
function sumOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .map((line) => Number(line.split(' ').at(-1)));
  return values.reduce((sum, value) => sum + value, 0);
}

test('Prometheus reads what the gateway does', async () => {
  // Enough for the first query.
  const { program, scrape } = await startMeasured({ RATE_LIMIT_PER_MINUTE: '30' });
  const authorization = `Bearer ${program.demoKey}`;
  const query = '{ merchants { edges { node { name } } } }';
  await send(program.url, { query }, { authorization });
  await send(program.url, { query }, { authorization });
  await send(program.url, { query: '{' });
  await send(program.url, { query: '{ nothing }' });
  await fetch(`${program.url}/nowhere`);
  const text = await scrape();
  const requests = 'graphql_server_request_duration_count';
  expect(sumOf(text, requests, { graphql_operation_type: 'query' })).toBe(2);
  expect(sumOf(text, requests, { error_type: 'RATE_LIMITED' })).toBe(1);
  expect(sumOf(text, requests, { error_type: '_parse_error' })).toBe(1);
  expect(sumOf(text, requests, { error_type: '_validation_error' })).toBe(1);
  expect(sumOf(text, 'graphql_server_request_execute_duration_count')).toBe(1);
  expect(sumOf(text, 'tillgraph_requests_rejected_total', { error_type: 'NOT_FOUND' })).toBe(1);
  expect(sumOf(text, 'tillgraph_requests_answered_total', { tillgraph_path: 'fast' })).toBe(1);
  expect(sumOf(text, 'tillgraph_requests_answered_total', { tillgraph_path: 'yoga' })).toBe(2);
  expect(sumOf(text, 'tillgraph_response_errors_total')).toBe(3);
  expect(
    sumOf(text, 'http_client_request_duration_count', {
      http_request_method: 'GET',
      http_response_status_code: '200',
    }),
  ).toBeGreaterThanOrEqual(2);
  expect(sumOf(text, 'tillgraph_money_store_available')).toBe(1);
  expect(sumOf(text, 'tillgraph_rest_breaker_open')).toBe(0);
  expect(sumOf(text, 'process_memory_usage')).toBeGreaterThan(10_000_000);
});

test('each execution is counted once, however it is executed', async () => {
  const { program, scrape } = await startMeasured();
  const merchants = '{ merchants { edges { node { name } } } }';
  const mutation = 'mutation { deleteUser(input: { userId: "none" }) { __typename } }';
  // An operation has a plan from its second time on.
  for (const _time of [1, 2]) {
    for (const document of [
      '{ __typename }',
      '{ __schema { description } }',
      merchants,
      mutation,
    ]) {
      await program.ask(document);
    }
    // It is not executed, so it does not count.
    await program.ask('query ($id: ID!) { node(id: $id) { id } }');
    // A plan leaves errors to graphql-js.
    const { errors } = await program.ask(merchants, {}, 'wrong');
    expect(errors).toHaveLength(1);
  }
  const executions = 'graphql_server_request_execute_duration_count';
  const text = await scrape();
  expect(sumOf(text, executions, { graphql_operation_type: 'query' })).toBe(8);
  expect(sumOf(text, executions, { graphql_operation_type: 'mutation' })).toBe(2);
});

test('each call is counted for its service, method, status and failure', async () => {
  const { program, scrape } = await startMeasured();
  const [, controlUrl = ''] = await program.printed(/Control +(http\S+)/);
  const { faults } = createControl(controlUrl);
  const readMerchant = 'query ($id: ID!) { merchant(id: $id) { name } }';
  const readUser = 'query ($id: ID!) { user(id: $id) { name } }';
  const changeUser =
    'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { __typename } }';
  const [merchant, user] = [{ id: EUR_MERCHANT }, { id: USER }];
  const repeat = async () => {
    await program.ask(readMerchant, merchant);
    await program.ask(readMerchant, merchant);
    await program.ask(readUser, user);
  };
  await repeat();
  const countIn = (text: string, url: string, method: string, status: string, error?: string) => {
    const labels = {
      server_port: new URL(url).port,
      http_request_method: method,
      http_response_status_code: status,
    };
    const calls = 'http_client_request_duration_count';
    if (error !== undefined) return sumOf(text, calls, { ...labels, error_type: error });
    return sumOf(text.replaceAll(/^.*error_type=.*$/gm, ''), calls, labels);
  };
  const before = await scrape();
  await repeat();
  await program.ask(readMerchant, merchant, 'wrong');
  await program.ask(readMerchant, { id: 'mer_ffffffffffffffffffffffff' });
  await program.ask(changeUser, { input: { userId: USER, name: 'Sanne de Vries' } });
  // The response breaks off, so the gateway reads it again.
  await faults.add({ kind: 'truncate', route: '/users/:id', next: 1 });
  await program.ask(readUser, user);
  await faults.add({ kind: 'status', status: 204, route: '/users/:id', next: 1 });
  await program.ask(readUser, user);
  const after = await scrape();
  const grown = (url: string, method: string, status: string, error?: string) =>
    countIn(after, url, method, status, error) - countIn(before, url, method, status, error);
  const { paymentsUrl, usersUrl } = program;
  expect({
    payments: grown(paymentsUrl, 'GET', '200'),
    wrongKey: grown(paymentsUrl, 'GET', '401', '401'),
    missing: grown(paymentsUrl, 'GET', '404', '404'),
    users: grown(usersUrl, 'GET', '200'),
    broken: grown(usersUrl, 'GET', '200', 'unreachable'),
    empty: grown(usersUrl, 'GET', '204'),
    changes: grown(usersUrl, 'PATCH', '200'),
  }).toEqual({ payments: 2, wrongKey: 1, missing: 1, users: 2, broken: 1, empty: 1, changes: 1 });
});

test('the names of persisted documents are shown if OPERATION_NAMES is on', async () => {
  const folder = emptyFolder();
  const known = 'query Known { __typename }';
  const id = `sha256:${createHash('sha256').update(known).digest('hex')}`;
  writeFileSync(join(folder, 'documents.json'), JSON.stringify({ [id]: known }));
  const countKnown = async (OPERATION_NAMES: string) => {
    const { program, scrape } = await startMeasured({
      OPERATION_NAMES,
      PERSISTED_DOCUMENTS: 'prefer',
      PERSISTED_DOCUMENTS_PATH: folder,
    });
    for (const body of [{ query: '{ __typename }' }, { documentId: id }, { documentId: id }]) {
      await send(program.url, body);
    }
    const text = await scrape();
    const requests = 'graphql_server_request_duration_count';
    return [sumOf(text, requests, { graphql_operation_name: 'Known' }), sumOf(text, requests)];
  };
  expect(await countKnown('on')).toEqual([2, 3]);
  expect(await countKnown('off')).toEqual([0, 3]);
});

const CAPTURE =
  'mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) { __typename } }';

/** How many documents are parsed if 300 different ones are sent, one after another, twice. */
async function countParses(settings: Readonly<Record<string, string>>): Promise<number> {
  const { program, scrape } = await startMeasured(settings);
  for (let sent = 0; sent < 600; sent++) {
    // 6 tokens.
    await send(program.url, { query: `{ a${sent % 300}: __typename, __typename }` });
  }
  return sumOf(await scrape(), 'graphql_server_request_parse_duration_count');
}

test('a document is parsed once', async () => {
  expect(await countParses({})).toBe(300);
});

test('money operations are counted by state, and those that are not final by age', async () => {
  const { program, scrape } = await startMeasured();
  const [, controlUrl = ''] = await program.printed(/Control +(http\S+)/);
  const control = createControl(controlUrl);
  const pay = async () =>
    (await control.pay({ merchantId: EUR_MERCHANT, amount: 500 })).transactionId;
  const capture = async (idempotencyKey: string, transactionId: string) => {
    const amount = { minorUnits: 500, currency: 'EUR' };
    const input = { transactionId, idempotencyKey, amount };
    return (await program.ask(CAPTURE, { input })).data.captureTransaction.__typename;
  };
  expect(await capture('first', await pay())).toBe('CaptureTransactionSuccess');
  await control.faults.add({ kind: 'drop', route: '/transactions/:id/captures' });
  const unclear = await pay();
  expect(await capture('second', unclear)).toBe('OutcomeUnknownError');
  const text = await scrape();
  const times = { PREPARED: 2, SENDING: 2, SUCCEEDED: 1, UNKNOWN: 1 };
  for (const [state, count] of Object.entries(times)) {
    const labels = { tillgraph_money_kind: 'CAPTURE', tillgraph_money_state: state };
    expect(sumOf(text, 'tillgraph_money_transitions_total', labels), state).toBe(count);
  }
  const steps = 'tillgraph_money_store_duration_count';
  // Each state that it stored was a step.
  expect(sumOf(text, steps)).toBeGreaterThanOrEqual(6);
  expect(sumOf(text, steps, { error_type: 'STORE_UNAVAILABLE' })).toBe(0);
  const unknown = { tillgraph_money_state: 'UNKNOWN', tillgraph_age: 'under 1 minute' };
  expect(sumOf(text, 'tillgraph_money_operations', unknown)).toBe(1);
  expect(sumOf(text, 'tillgraph_money_operations')).toBe(1);

  await control.faults.clear();
  expect(await capture('second', unclear)).toBe('CaptureTransactionSuccess');
  const open = async () => sumOf(await scrape(), 'tillgraph_money_operations');
  // It is read at most once in a second.
  await expect.poll(open).toBe(0);
  expect(await scrape()).toContain('tillgraph_money_operations{');
});

test('every metric of the conventions is exported with its unit and its attributes only', async () => {
  const collector = await startCollector();
  const { program } = await startMeasured(toCollector(collector));
  await program.ask('{ merchants { edges { node { name } } } }');
  await send(program.url, { query: '{ nothing }' });
  await program.stop();
  const found = new Map(collector.metrics().map((metric) => [metric.name, metric]));
  for (const [name, { kind, unit, attributes }] of Object.entries(metricConventions)) {
    const metric = found.get(name);
    expect(metric, name).toMatchObject({ kind, unit });
    for (const point of metric?.points ?? []) {
      for (const key of Object.keys(point.attributes)) {
        expect(attributes, name).toHaveProperty([key]);
        expect(attributes[key], `${name}: ${key}`).not.toBe('opt-in');
      }
      for (const [key, level] of Object.entries(attributes)) {
        if (level === 'required') expect(point.attributes, name).toHaveProperty([key]);
      }
    }
  }
});

test('a flood of names and headers leaves a bounded number of series, and no secret', async () => {
  const collector = await startCollector();
  const { program, scrape } = await startMeasured({
    ...toCollector(collector),
    OPERATION_NAMES: 'on',
    MAX_IN_FLIGHT: '10000',
  });
  // Many more than there may be series.
  const count = inject('scale') === 1 ? 3_000 : 10_000;
  await flood(
    `${program.url}/graphql`,
    count,
    (index) => {
      const secret = `hostile${index}`;
      return {
        body: JSON.stringify({ query: `query ${secret} { __typename }`, operationName: secret }),
        headers: {
          authorization: `Bearer ${secret}`,
          'x-request-id': secret,
          'user-agent': secret,
          tracestate: `${secret}=1`,
          accept: index % 2 === 0 ? '*/*' : `application/json, application/${secret}`,
        },
      };
    },
    () => {},
  );
  const text = await scrape();
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(series.length).toBeLessThan(500);
  expect(sumOf(text, 'graphql_server_request_duration_count')).toBe(count);
  await program.stop();
  for (const exported of [text, collector.text().replaceAll(/"traceState":"[^"]*"/g, '')]) {
    expect(exported).not.toContain('hostile');
    expect(exported).not.toContain(program.demoKey);
  }
});

test('the operations port answers what it is for, to this machine only', async () => {
  const { program } = await startMeasured();
  const url = program.metricsUrl.replace(/\/metrics$/, '');
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(await (await fetch(`${url}/ready`)).json()).toMatchObject({ status: 'ready' });
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
  const missing = await fetch(`${url}/`);
  expect([missing.status, await missing.text()]).toEqual([
    404,
    'There is nothing at this path. Read /metrics, /health, /ready.\n',
  ]);
  const status = execFileSync('curl', [
    '-s',
    '-o',
    '/dev/null',
    '-w',
    '%{http_code}',
    '-H',
    'host: evil.example',
    `${url}/metrics`,
  ]);
  expect(String(status)).toBe('421');
});

test.skipIf(promtool === undefined)(
  `promtool finds nothing wrong with the metrics${why}`,
  async () => {
    const { program, scrape } = await startMeasured();
    await program.ask('{ merchants { edges { node { name } } } }');
    await fetch(`${program.url}/nowhere`);
    const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], {
      input: await scrape(),
    });
    expect([String(stdout), String(stderr), status]).toEqual(['', '', 0]);
  },
);
