import type { Meter } from '@opentelemetry/api';

/** Seconds, as in OpenTelemetry's HTTP conventions, and one more boundary for short requests. */
const DURATIONS = [
  ...[0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
];
const PHASES = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1];
const ERRORS = [0, 1, 2, 5, 10, 50];

/** The metrics of a gateway. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the metrics. `docs/observe.md` lists their attributes, and what they do not include. */
export function createMetrics(meter: Meter) {
  const create = createKinds(meter);
  return {
    ...createRequestMetrics(create),
    ...createRestMetrics(create),
    ...createMoneyMetrics(create),
    ...createReplicaMetrics(create),
    ...createProcessMetrics(create),
  };
}

type Kinds = ReturnType<typeof createKinds>;

function createKinds(meter: Meter) {
  type About = readonly [name: string, unit: string, description: string];
  return {
    counter: (...[name, unit, description]: About) =>
      meter.createCounter(name, { unit, description }),
    readCounter: (...[name, unit, description]: About) =>
      meter.createObservableCounter(name, { unit, description }),
    gauge: (...[name, unit, description]: About) =>
      meter.createObservableGauge(name, { unit, description }),
    upDownCounter: (...[name, unit, description]: About) =>
      meter.createObservableUpDownCounter(name, { unit, description }),
    histogram: (explicitBucketBoundaries: number[], ...[name, unit, description]: About) =>
      meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } }),
  };
}

/** `graphql.server.*` follows the draft conventions for GraphQL servers. */
function createRequestMetrics({ counter, gauge, histogram, upDownCounter }: Kinds) {
  return {
    requestDuration: histogram(
      DURATIONS,
      'graphql.server.request.duration',
      's',
      'Time from when the gateway has read the body of a GraphQL request until it has the response.',
    ),
    activeRequests: upDownCounter(
      'graphql.server.active_requests',
      '{request}',
      'Requests that have arrived completely, were accepted and are not yet answered.',
    ),
    parseDuration: histogram(
      PHASES,
      'graphql.server.request.parse.duration',
      's',
      'Time to parse a document.',
    ),
    validateDuration: histogram(
      PHASES,
      'graphql.server.request.validate.duration',
      's',
      'Time to check a document against its limits and the schema.',
    ),
    executeDuration: histogram(
      DURATIONS,
      'graphql.server.request.execute.duration',
      's',
      'Time to execute an operation, with its calls to the services.',
    ),
    errorCount: histogram(
      ERRORS,
      'graphql.server.request.error_count',
      '{error}',
      'Errors in a GraphQL response.',
    ),
    responseErrors: counter(
      'tillgraph.response.errors',
      '{response}',
      'GraphQL responses that contain at least one error with this code.',
    ),
    rejectedRequests: counter(
      'tillgraph.requests.rejected',
      '{request}',
      'Requests that got an error instead of a GraphQL response or an export.',
    ),
    answeredRequests: counter(
      'tillgraph.requests.answered',
      '{request}',
      'GraphQL requests that got a response, by the path that made it.',
    ),
    sharedWork: counter(
      'tillgraph.requests.shared',
      '{join}',
      'Queries and reads that joined the same work in flight instead of doing it again.',
    ),
    plans: gauge('tillgraph.plans', '{plan}', 'Compiled operations in the cache.'),
  };
}

function createRestMetrics({ counter, gauge, histogram, upDownCounter }: Kinds) {
  return {
    restDuration: histogram(
      DURATIONS,
      'http.client.request.duration',
      's',
      'Time of a call to a service, from when the call has a connection until the last byte of the response.',
    ),
    restNotMade: counter(
      'tillgraph.rest.not_made',
      '{call}',
      'Calls to a service that the gateway did not make.',
    ),
    restRetries: counter(
      'tillgraph.rest.retries',
      '{call}',
      'Reads that were repeated after a failure.',
    ),
    retryBudgetLeft: gauge(
      'tillgraph.rest.retry_budget',
      '{call}',
      'Reads that may still be repeated now.',
    ),
    restConnections: upDownCounter(
      'tillgraph.rest.connections',
      '{connection}',
      'Connections to a service, by what they do.',
    ),
    breakerOpen: gauge(
      'tillgraph.rest.breaker.open',
      '1',
      '1 while the gateway does not call a service because it fails; otherwise 0.',
    ),
    breakerOpenings: counter(
      'tillgraph.rest.breaker.openings',
      '{opening}',
      'How often the gateway has stopped calling a service because it fails.',
    ),
  };
}

function createMoneyMetrics({ counter, gauge, histogram }: Kinds) {
  return {
    moneyTransitions: counter(
      'tillgraph.money.transitions',
      '{operation}',
      'Changes of the state of money operations that this process made.',
    ),
    openMoneyOperations: gauge(
      'tillgraph.money.operations',
      '{operation}',
      'Money operations that are not final, by state and age.',
    ),
    storeDuration: histogram(
      DURATIONS,
      'tillgraph.money.store.duration',
      's',
      'Time of one read or write of the store of money operations.',
    ),
    storeAvailable: gauge(
      'tillgraph.money.store.available',
      '1',
      '1 if the store of money operations could be read; otherwise 0.',
    ),
  };
}

function createReplicaMetrics({ counter, gauge, readCounter }: Kinds) {
  return {
    syncMerchants: gauge('tillgraph.sync.merchants', '{merchant}', 'Merchants, by their state.'),
    syncLag: gauge('tillgraph.sync.lag', 's', 'How old the oldest copy of a merchant is.'),
    syncOverdue: gauge(
      'tillgraph.sync.overdue',
      '{merchant}',
      'Merchants whose copy is older than ten times the pause between two polls.',
    ),
    syncRecords: gauge('tillgraph.sync.records', '{record}', 'Records, as the database estimates.'),
    syncRepaired: readCounter(
      'tillgraph.sync.repaired',
      '{record}',
      'Records that a daily comparison has repaired.',
    ),
    syncCalls: readCounter('tillgraph.sync.calls', '{call}', 'Calls that sync has reserved.'),
    subscriptions: gauge('tillgraph.subscriptions', '{subscription}', 'Open subscriptions.'),
    eventLag: gauge(
      'tillgraph.events.lag',
      's',
      'The longest time from what happened to its event, of the events of the last five minutes.',
    ),
    webhookAttempts: counter(
      'tillgraph.webhooks.attempts',
      '{attempt}',
      'Attempts of this process to deliver a webhook, by result.',
    ),
    webhooksPending: gauge(
      'tillgraph.webhooks.pending',
      '{delivery}',
      'Deliveries that no receiver has accepted, and that are attempted again.',
    ),
    webhooksOldest: gauge('tillgraph.webhooks.oldest', 's', 'How old the oldest of them is.'),
    webhooksDisabled: gauge('tillgraph.webhooks.disabled', '{endpoint}', 'Disabled endpoints.'),
  };
}

function createProcessMetrics({ gauge, readCounter }: Kinds) {
  return {
    processMemory: gauge('process.memory.usage', 'By', 'Resident memory of the process.'),
    processCpu: readCounter('process.cpu.time', 's', 'CPU time of the process.'),
    processUptime: gauge('process.uptime', 's', 'Time since the process started.'),
    loopDelay: gauge(
      'nodejs.eventloop.delay.p99',
      's',
      'The 99th percentile of the delay of the event loop since the last scrape or export.',
    ),
    build: gauge('tillgraph.build', '1', 'Always 1. Its attributes say what runs.'),
  };
}
