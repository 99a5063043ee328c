import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { expect, onTestFinished, test } from 'vitest';
import { requestEnds, requestStarts } from '../../src/gateway/channels.ts';
import { createListener } from '../../src/gateway/telemetry/listener.ts';
import { traceRequests } from '../../src/gateway/telemetry/trace-requests.ts';
import { type Path, path } from '../../src/gateway/upstream/path.ts';
import { createRestService } from '../../src/gateway/upstream/rest-client.ts';
import { anyCaller } from '../support/caller.ts';
import { patientGateway } from '../support/patience.ts';
import { freePorts, startNode, startProgram, usedPostgres } from '../support/program.ts';
import { startStubService } from '../support/stub-service.ts';
import { type CollectedSpan, type Collector, startCollector, toCollector } from './collector.ts';
import { spanConventions } from './conventions.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

/** Starts the program with a collector, and waits for the spans of requests when it stops. */
async function startTraced(settings: Readonly<Record<string, string>> = {}) {
  const collector = await startCollector();
  const program = await startProgram({
    ...(await usedPostgres()),
    ...toCollector(collector),
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    ...settings,
  });
  return { collector, program };
}

async function send(url: string, query: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

const QUERY =
  'query Named { merchants(first: 1) { edges { node { transactions { edges { node { id } } } } } } }';
const named = (spans: readonly CollectedSpan[], name: string) =>
  spans.filter((span) => span.name === name);

function checkConventions(collector: Collector): void {
  for (const { name, kind, attributes } of collector.spans()) {
    const convention = spanConventions[name];
    expect(convention, name).toBeDefined();
    const known = convention?.attributes ?? {};
    expect(kind, name).toBe(convention?.kind);
    for (const key of Object.keys(attributes)) expect(known, name).toHaveProperty([key]);
    for (const [key, level] of Object.entries(known)) {
      if (level === 'required') expect(attributes, name).toHaveProperty([key]);
      if (level === 'opt-in') expect(attributes, name).not.toHaveProperty([key]);
    }
  }
}

test('a request has spans for itself, its phases and its calls, as the conventions have them', async () => {
  const { collector, program } = await startTraced();
  const authorization = `Bearer ${program.demoKey}`;
  await send(program.url, QUERY, { authorization });
  await send(program.url, QUERY, { authorization });
  await send(program.url, '{ nothing }', { authorization });
  await send(program.url, '{', { authorization });
  await send(program.url, 'mutation { captureTransaction(input: {}) { __typename } }');
  await send(program.url, 'query ($id: ID!) { node(id: $id) { id } }', { authorization });
  await program.stop();

  const spans = collector.spans();
  checkConventions(collector);
  const [first, second] = named(spans, 'query');
  const below = (parent: CollectedSpan | undefined) =>
    spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
  expect(below(first).map(({ name }) => name)).toEqual([
    ...['GraphQL Document Parsing', 'GraphQL Document Validation'],
    ...['GraphQL Variable Coercion', 'GraphQL Operation Execution'],
  ]);
  // The document is known by then.
  expect(below(second).map(({ name }) => name)).toEqual([
    ...['GraphQL Variable Coercion', 'GraphQL Operation Execution'],
  ]);
  const execution = below(first).at(-1);
  const calls = below(execution);
  expect(calls.length).toBeGreaterThanOrEqual(3);
  for (const call of calls) {
    expect(call.traceId).toBe(first?.traceId);
    expect(call.start).toBeGreaterThanOrEqual(execution?.start ?? 0n);
    expect(call.end).toBeLessThanOrEqual(execution?.end ?? 0n);
    expect(call.attributes['http.response.status_code']).toBe(200);
    expect(call.attributes['url.full']).not.toMatch(/=(?!REDACTED)|\/merchants\/(?!REDACTED)/);
  }
  const errors = spans
    .filter(({ kind }) => kind === 'SERVER')
    .map((span) => [span.name, span.isError, span.attributes['error.type']]);
  expect(errors).toEqual([
    ['query', false, undefined],
    ['query', false, undefined],
    ['query', true, '_validation_error'],
    ['GraphQL Operation', true, '_parse_error'],
    ['mutation', true, '_validation_error'],
    ['query', true, '_execution_error'],
  ]);
  expect(collector.text()).not.toContain('Named');
  expect(collector.text()).not.toContain(program.demoKey);
});

test('the span of a call shows of its URL only what the code says', async () => {
  const service = await startStubService({});
  const rest = createRestService({
    service: 'payments',
    baseUrl: `${service.url}/base`,
    ...{ limits: patientGateway.limits, pageMax: 100, needsCredential: false },
    connections: patientGateway.upstream.connections,
  });
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const listener = createListener((bug) => {
    throw bug;
  });
  traceRequests(listener, new TracerProvider({ spanProcessors }).getTracer('test'));
  for (const close of [service.close, rest.close, listener.stop]) onTestFinished(close);

  const caller = anyCaller();
  const { usage: scope } = caller.allowance;
  requestStarts.publish({ scope, headers: {} });
  const id = 'secret-id';
  const paths = [
    path`/inventions/${id}/parts`,
    path`/inventions/${id}/${id}/parts`,
    // No template has built it.
    `/found/${id}` as Path,
  ];
  for (const called of paths) {
    const query = { 'filter[part]': 'a secret value', limit: 7 };
    await expect(rest.as(caller).get(called, query)).rejects.toMatchObject({ status: 404 });
  }
  const nothing = { type: 'query', name: undefined, documentId: undefined };
  const end = { ...nothing, documentHash: () => '', status: 200, wasExecuted: true };
  requestEnds.publish(scope, { scope, start: 0, end: 1, ...end, errors: 0, codes: [] });

  const query = '?filter%5Bpart%5D=REDACTED&limit=REDACTED';
  expect(
    exporter.getFinishedSpans().flatMap(({ attributes }) => attributes['url.full'] ?? []),
  ).toEqual([
    `${service.url}/base/inventions/REDACTED/parts${query}`,
    `${service.url}/base/inventions/REDACTED/REDACTED/parts${query}`,
    `${service.url}/base/REDACTED${query}`,
  ]);
});

test('a span has the hash of its document, also if the document was sent before', async () => {
  const { collector, program } = await startTraced();
  const documents = [
    '{ __typename }',
    '{ a: __typename }',
    '{ __typename }',
    '{',
    '{ a: __typename }',
  ];
  for (const document of documents) await send(program.url, document);
  await program.stop();
  const requests = collector.spans().filter(({ kind }) => kind === spanConventions.query?.kind);
  expect(requests.map(({ attributes }) => attributes['graphql.document.hash'])).toEqual(
    documents.map((document) => `sha256:${hash('sha256', document)}`),
  );
});

test('a trace of the caller goes on, and the caller decides whether it is recorded', async () => {
  const { collector, program } = await startTraced({
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  });
  const authorization = `Bearer ${program.demoKey}`;
  const tracestate = 'vendor=a "value" with \\';
  await send(program.url, QUERY, {
    authorization,
    tracestate,
    traceparent: `00-${TRACE}-${PARENT}-01`,
  });
  await send(program.url, QUERY, { authorization, traceparent: `00-${TRACE}-${PARENT}-00` });
  await send(program.url, QUERY, { authorization });
  // None of these is a trace.
  for (const traceparent of [
    'x',
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `ff-${TRACE}-${PARENT}-01`,
  ]) {
    await send(program.url, QUERY, { authorization, traceparent });
  }
  await program.stop();
  const servers = collector.spans().filter(({ kind }) => kind === 'SERVER');
  expect(
    servers.map(({ traceId, parentSpanId, traceState }) => [traceId, parentSpanId, traceState]),
  ).toEqual([[TRACE, PARENT, tracestate]]);
});

test('the services get the trace: each call is a span of its own if it is recorded', async () => {
  const collector = await startCollector();
  const service = await startStubService({});
  onTestFinished(() => service.close());
  const program = startNode(['bin/gateway.js'], {
    ...freePorts,
    ...(await usedPostgres()),
    ...{ USERS_URL: service.url, PAYMENTS_URL: service.url, POS_URL: service.url },
    ...toCollector(collector),
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    DRAIN_DELAY_MS: '0',
  });
  const [, url = ''] = await program.printed(/(?:GraphiQL|Endpoint) +(\S+)\/graphql/);
  const calls = async (headers: Record<string, string>) => {
    const before = service.headers.length;
    const twoCalls = '{ a: transaction(id: "t1") { id } b: transaction(id: "t2") { id } }';
    await send(url, twoCalls, { authorization: 'Bearer key', ...headers });
    const received = service.headers.slice(before);
    return received.map(({ traceparent, tracestate }) => [traceparent, tracestate]);
  };
  const recorded = await calls({ traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'a=b' });
  const other = await calls({ traceparent: `00-${TRACE}-${PARENT}-00`, tracestate: 'a=b' });
  const own = await calls({ tracestate: 'a=b' });
  const next = await calls({});
  await program.stop();

  const clients = collector.spans().filter(({ kind }) => kind === 'CLIENT');
  expect(recorded).toHaveLength(2);
  expect(recorded.toSorted()).toEqual(
    clients.map(({ spanId }) => [`00-${TRACE}-${spanId}-01`, 'a=b']).toSorted(),
  );
  // The request is their parent, which is not that of the caller.
  const [first, second] = other;
  expect(first).toEqual([
    expect.stringMatching(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-00$`),
    'a=b',
  ]);
  expect(second).toEqual(first);
  // It is not known whose state that is.
  expect(own[0]).toEqual([expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/), undefined]);
  expect(own[1]).toEqual(own[0]);
  expect(next[0]?.[0]?.slice(3, 35)).not.toBe(own[0]?.[0]?.slice(3, 35));
  expect(next[0]?.[0]?.slice(36, 52)).not.toBe(own[0]?.[0]?.slice(36, 52));
});

test('a share of the requests is traced, and the same trace id always has the same fate', async () => {
  const { collector, program } = await startTraced({
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
  });
  const ids = Array.from({ length: 40 }, (_, index) =>
    (BigInt(index) * 0x0666666666666666n + 1n).toString(16).padStart(32, '1').slice(-32),
  );
  for (const id of [...ids, ...ids]) {
    await send(program.url, '{ __typename }', { traceparent: `00-${id}-${PARENT}-00` });
  }
  await program.stop();
  const traced = collector
    .spans()
    .filter(({ kind }) => kind === 'SERVER')
    .map(({ traceId }) => traceId);
  const share = [...new Set(traced)];
  expect(traced.toSorted()).toEqual([...share, ...share].toSorted());
  expect(share.length).toBeGreaterThan(10);
  expect(share.length).toBeLessThan(30);
});

test.each([2, 10])(
  'spans are sent in batches of up to %i as soon as there are so many',
  async (size) => {
    const { collector, program } = await startTraced({ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: `${size}` });
    for (let count = 0; count < 8; count++) await send(program.url, '{ __typename }');
    await expect.poll(() => collector.batches().length).toBeGreaterThan(0);
    const beforeTheEnd = collector.batches();
    await program.stop();
    expect(Math.max(...collector.batches())).toBeLessThanOrEqual(size);
    // The spans of a request stay together if they fit: 5 and 3, then 3 times 3.
    if (size === 10) expect(Math.min(...beforeTheEnd)).toBeGreaterThanOrEqual(8);
    // The document is read for the first request only.
    expect(collector.spans()).toHaveLength(5 + 7 * 3);
  },
);

test('spans that find no place are dropped and counted', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { program } = await startTraced({
    // A server that listens on a port has an AddressInfo.
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_BSP_MAX_QUEUE_SIZE: '10',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
    OPERATIONS_PORT: '0',
    SYNC: 'off',
  });
  for (let count = 0; count < 12; count++) await send(program.url, '{ __typename }');
  const metrics = async () => (await fetch(program.metricsUrl)).text();
  // Of 38 spans, 10 are being sent, and 10 wait.
  expect(await metrics()).toMatch(
    /^otel_sdk_processor_span_processed_total\{.*error_type="queue_full".*\} 18$/m,
  );
  silent.closeAllConnections();
  silent.close();
  await program.stop();
});

test('what the collector rejects for a while is sent again, and its headers are sent', async () => {
  const { collector, program } = await startTraced({
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=se%20cret',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_SERVICE_NAME: 'gateway of a test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  collector.fail(503, 429);
  await send(program.url, '{ __typename }');
  await expect.poll(() => named(collector.spans(), 'query').length).toBe(1);
  expect(collector.headers[0]?.['api-key']).toBe('se cret');
  expect(collector.resource()).toMatchObject({
    'service.name': 'gateway of a test',
    'deployment.environment.name': 'test',
  });
  const { stderr } = await program.stop();
  expect(stderr).not.toContain('se cret');
});

test('telemetry is sent as Protobuf, unless another protocol is set', async () => {
  const { collector, program } = await startTraced({ OTEL_EXPORTER_OTLP_PROTOCOL: '' });
  await send(program.url, '{ __typename }');
  await program.stop();
  const types = collector.headers.map((headers) => headers['content-type']);
  expect(types).toEqual(['application/x-protobuf', 'application/x-protobuf']);
  expect(collector.text()).toContain('GraphQL Operation Execution');
  expect(collector.text()).toContain('graphql.server.request.duration');
});

test('a collector that is down costs nothing but a message for each problem', async () => {
  const { program } = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_METRIC_EXPORT_INTERVAL: '10',
  });
  for (let count = 0; count < 20; count++) {
    expect(await send(program.url, '{ __typename }')).toEqual({ data: { __typename: 'Query' } });
  }
  const { code, stderr } = await program.stop();
  expect(code).toBe(0);
  const told = stderr.match(/OpenTelemetry: .*/g) ?? [];
  expect(told).not.toEqual([]);
  expect([...new Set(told)]).toEqual(told);
});
