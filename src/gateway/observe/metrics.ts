import { counter, gauge, histogram, upDownCounter } from './instrument.ts';
import { MAX_SERIES } from './registry.ts';

/** Seconds, as the HTTP conventions of OpenTelemetry advise, and one more for short requests. */
const DURATIONS = [
  ...[0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
];
const PHASES = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1];
const ERRORS = [0, 1, 2, 5, 10, 50];

const TYPE = { 'graphql.operation.type': '`query` or `mutation`; absent if it is not known' };
const SERVICE = { 'tillgraph.service': '`users` or `payments`' };

/** The request metrics of the draft conventions for GraphQL servers. */
export const requestDuration = histogram(DURATIONS, {
  name: 'graphql.server.request.duration',
  unit: 's',
  description:
    'Time from when the gateway has read the body of a GraphQL request until it has the response.',
  caution:
    'It does not contain the time in which the client sends its body or reads the response. Requests that the gateway rejects before it reads their document are not included: see `tillgraph.requests.rejected`. A response that is too large counts in both.',
  attributes: {
    ...TYPE,
    'error.type':
      '`_parse_error`, `_validation_error`, `_execution_error`, or `RATE_LIMITED`; absent without errors',
    'graphql.operation.name':
      'the name of the operation, only for persisted documents and only with METRICS_OPERATION_NAMES=on',
  },
});
export const activeRequests = upDownCounter({
  name: 'graphql.server.active_requests',
  unit: '{request}',
  description: 'Requests that have arrived completely, were accepted and are not yet answered.',
  caution: 'Exports count as one request for as long as they run.',
});
export const parseDuration = histogram(PHASES, {
  name: 'graphql.server.request.parse.duration',
  unit: 's',
  description: 'Time to parse a document.',
  caution: 'Documents in the cache are not parsed again, so there are fewer values than requests.',
  attributes: TYPE,
});
export const validateDuration = histogram(PHASES, {
  name: 'graphql.server.request.validate.duration',
  unit: 's',
  description: 'Time to check a document against its limits and the schema.',
  caution: 'Documents in the cache are not checked again, so there are fewer values than requests.',
  attributes: TYPE,
});
export const executeDuration = histogram(DURATIONS, {
  name: 'graphql.server.request.execute.duration',
  unit: 's',
  description: 'Time to execute an operation, with its calls to the services.',
  caution:
    'Requests that joined the same query in flight are not executed themselves, nor are those whose variables are not valid.',
  attributes: TYPE,
});
export const errorCount = histogram(ERRORS, {
  name: 'graphql.server.request.error_count',
  unit: '{error}',
  description: 'Errors in a GraphQL response.',
  caution: 'Typed errors of mutations are data, and are not counted.',
  attributes: TYPE,
});

export const responseErrors = counter({
  name: 'tillgraph.response.errors',
  unit: '{response}',
  description:
    'GraphQL responses that contain at least one error with this code, in `errors` or as a typed error of a mutation.',
  caution: 'A response with errors of two codes counts for both.',
  attributes: { 'error.type': 'the code of the error' },
});
export const rejectedRequests = counter({
  name: 'tillgraph.requests.rejected',
  unit: '{request}',
  description:
    'Requests that got an error in place of a GraphQL response or an export, most of them before their document was read. `OVERLOADED` means that the gateway had too much work.',
  caution:
    'A document that exceeds a limit is not counted here: it is an error in a GraphQL response.',
  attributes: { 'error.type': 'the code of the error', 'http.response.status_code': 'the status' },
});
export const answeredRequests = counter({
  name: 'tillgraph.requests.answered',
  unit: '{request}',
  description: 'GraphQL requests that got a response, by the path that made it.',
  caution:
    'Requests that the gateway rejects before it reads their document, or because of the rate limit, are not included. A query that joined the same one in flight counts as `fast`.',
  attributes: {
    'tillgraph.path':
      '`fast`; or `yoga` for the HTTP layer of graphql-yoga, which takes about three times as long and answers requests that cannot be executed, those with the header `graphql-cost`, and with FAST_PATH=off all others',
  },
});
export const sharedWork = counter({
  name: 'tillgraph.requests.shared',
  unit: '{join}',
  description: 'Queries and reads that joined the same work in flight instead of doing it again.',
  caution: 'One request can join several reads.',
  attributes: { 'tillgraph.level': '`operation` for queries, `upstream` for reads of services' },
});

export const restDuration = histogram(DURATIONS, {
  name: 'http.client.request.duration',
  unit: 's',
  description:
    'Time of a call to a service, from when the call has a connection until the last byte of the response.',
  caution: 'The wait for a connection is not included. A read that is repeated counts each time.',
  attributes: {
    'http.request.method': 'the method',
    'server.address': 'the host of the service',
    'server.port': 'the port of the service',
    'http.response.status_code': 'the status; absent without a response',
    'error.type':
      'the status if it is 400 or more, or `unreachable`, `timeout`, `bad-response`, `too-large`, `limit` (the request may read no more) or `overloaded` (all requests together may hold no more); absent without a failure',
  },
});
export const restNotMade = counter({
  name: 'tillgraph.rest.not_made',
  unit: '{call}',
  description: 'Calls to a service that the gateway did not make.',
  caution: 'Nothing was sent, so the service knows nothing of them.',
  attributes: {
    ...SERVICE,
    'error.type':
      '`deadline` (the request has no time left), `limit` (it has no calls left), `stopped` (the breaker is open) or `overloaded` (too many calls wait)',
  },
});
export const restRetries = counter({
  name: 'tillgraph.rest.retries',
  unit: '{call}',
  description: 'Reads that were repeated after a failure.',
  caution: 'Writes are never repeated.',
  attributes: SERVICE,
});
export const retryBudgetLeft = gauge({
  name: 'tillgraph.rest.retry_budget',
  unit: '{call}',
  description: 'Reads that may still be repeated now.',
  caution:
    'It grows with the traffic, and what is not used is lost after ten seconds. On an idle gateway, it is between one and ten times ten.',
  attributes: SERVICE,
});
export const restConnections = upDownCounter({
  name: 'tillgraph.rest.connections',
  unit: '{connection}',
  description: 'Connections to a service, by what they do.',
  caution: 'A write always opens a new one.',
  attributes: {
    ...SERVICE,
    'tillgraph.use':
      '`money reads` or `money writes` for the calls of money operations, `reads` or `writes` for all others',
    'tillgraph.state':
      '`used`, `idle`, or `waiting`, which counts the calls that wait for a connection',
  },
});
export const breakerOpen = gauge({
  name: 'tillgraph.rest.breaker.open',
  unit: '1',
  description: '1 while the gateway does not call a service because it fails; otherwise 0.',
  caution: 'After a pause, one read tests the service. The value stays 1 until that read succeeds.',
  attributes: SERVICE,
});
export const breakerOpenings = counter({
  name: 'tillgraph.rest.breaker.openings',
  unit: '{opening}',
  description: 'How often the gateway has stopped calling a service because it fails.',
  caution: 'A test that fails does not count again.',
  attributes: SERVICE,
});

export const plans = gauge({
  name: 'tillgraph.plans',
  unit: '{plan}',
  description: 'Compiled queries in the cache.',
  caution: 'A query is compiled at its second use.',
});

export const moneyTransitions = counter({
  name: 'tillgraph.money.transitions',
  unit: '{operation}',
  description: 'Changes of the state of money operations that this process made.',
  caution: 'The counts of several gateways add up. Settlements by the operator are not included.',
  attributes: {
    'tillgraph.money.kind': '`CAPTURE`, `REFUND`, `VOID` or `CREATE`',
    'tillgraph.money.state':
      '`PREPARED`, `SENDING`, `UNKNOWN`, `RELEASED`, `SUCCEEDED`, `REJECTED` or `NOT_APPLIED`',
  },
});
export const openMoneyOperations = gauge({
  name: 'tillgraph.money.operations',
  unit: '{operation}',
  description: 'Money operations that are not final, by state and age.',
  caution:
    'It is read from the store, so every gateway on one database shows the same number: do not add them up.',
  attributes: {
    'tillgraph.money.state':
      '`PREPARED`, `SENDING`, `UNKNOWN`, or `NEEDS_OPERATOR` for those that only the operator can settle',
    'tillgraph.age':
      '`under 1 minute`, `under 15 minutes`, `under 1 hour`, `under 1 day` or `1 day and more`',
  },
});
export const storeDuration = histogram(DURATIONS, {
  name: 'tillgraph.money.store.duration',
  unit: 's',
  description: 'Time of one read or write of the store of money operations.',
  caution:
    'A capture needs several. After two seconds the gateway stops waiting, so no value is much larger. Health checks are included, and the commands of the operator are not.',
  attributes: {
    'error.type': '`STORE_UNAVAILABLE` if it failed, or took too long; absent otherwise',
  },
});
export const storeAvailable = gauge({
  name: 'tillgraph.money.store.available',
  unit: '1',
  description: '1 if the store of money operations could be read; otherwise 0.',
  caution: 'Queries without money operations do not need the store.',
});

export const spans = counter({
  name: 'tillgraph.telemetry.spans',
  unit: '{span}',
  description: 'Spans, by whether they were exported or dropped.',
  caution: 'Requests that are not sampled have no spans.',
  attributes: { 'tillgraph.result': '`exported` or `dropped`' },
});
export const series = gauge({
  name: 'tillgraph.telemetry.series',
  unit: '{series}',
  description: `Series that the process reports. It never reports more than ${MAX_SERIES.toLocaleString('en')}.`,
  caution: 'Prometheus adds `up` and some others for each gateway.',
});

export const processMemory = gauge({
  name: 'process.memory.usage',
  unit: 'By',
  description: 'Resident memory of the process.',
  caution: 'It contains the sandbox and its database if they run in the same process.',
});
export const processCpu = counter({
  name: 'process.cpu.time',
  unit: 's',
  description: 'CPU time of the process.',
  caution: 'It includes all threads.',
  attributes: { 'cpu.mode': '`user` or `system`' },
});
export const loopDelay = gauge({
  name: 'nodejs.eventloop.delay.p99',
  unit: 's',
  description:
    'The 99th percentile of the delay of the event loop since the last scrape or export.',
  caution:
    'Each scrape or export begins anew, so with two collectors, each sees only a part of the time.',
});
export const build = gauge({
  name: 'tillgraph.build',
  unit: '1',
  description: 'Always 1. Its attributes say what runs.',
  caution: 'It says nothing about health.',
  attributes: {
    'service.version': 'the version of Tillgraph',
    'process.runtime.version': 'the version of Node',
  },
});
/** All metrics, in the order of the documentation. */
export const metrics = [
  ...[requestDuration, activeRequests, parseDuration, validateDuration, executeDuration],
  ...[errorCount, responseErrors, rejectedRequests, answeredRequests, sharedWork],
  ...[restDuration, restNotMade, restRetries, retryBudgetLeft, restConnections],
  ...[breakerOpen, breakerOpenings, plans],
  ...[moneyTransitions, openMoneyOperations, storeDuration, storeAvailable],
  ...[spans, series, processMemory, processCpu, loopDelay, build],
] as const;
