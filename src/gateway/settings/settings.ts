import { z } from 'zod';
import { dataDir, postgresUrl } from '../../database/settings.ts';
import { type EnvironmentVariables, readSettings } from '../../settings/read-settings.ts';
import { addRules, type Rule } from '../../settings/rule.ts';
import {
  allOrNone,
  constant,
  optionalSetting,
  requiredSetting,
  type SettingsGroup,
  setting,
} from '../../settings/setting.ts';
import {
  appKey,
  httpUrl,
  integer,
  oneOf,
  only,
  onOrOff,
  port,
  text,
  type ValueType,
} from '../../settings/value-types.ts';
import { authSettings, tokensNeedSettings } from './auth-settings.ts';
import {
  persistedDocumentsNeedPath,
  persistedSettings,
  requestSettings,
} from './request-settings.ts';
import { telemetrySettings } from './telemetry-settings.ts';
import { speedSettings, upstreamSettings } from './upstream-settings.ts';

/** How long a load balancer may need to notice that the gateway stops. */
export const DRAIN_DELAY_MS = 5_000;

const server = {
  host: setting('HOST', text, {
    default: '127.0.0.1',
    description:
      'Address the gateway listens on. Use `0.0.0.0` to accept connections from other machines.',
  }),
  port: setting('PORT', port, {
    default: 4_000,
    description: 'Port the gateway listens on. 0 picks a free port.',
  }),
  workers: setting('WORKERS', integer(1, 64), {
    default: 1,
    description:
      'Number of processes that serve requests. Limits for the whole gateway are divided between them. More than one worker requires `DATABASE_URL` and real services instead of the sandbox. See "Workers" in `docs/install.md`.',
  }),
  federation: setting('FEDERATION', only('subgraph'), {
    default: '',
    unset: 'the gateway serves a standalone schema',
    description: 'Set to `subgraph` to serve the schema as an Apollo Federation v2 subgraph.',
  }),
  deadlineMs: setting('REQUEST_DEADLINE_MS', integer(3_000, 300_000), {
    default: 15_000,
    unit: 'milliseconds',
    description:
      'Time limit for a request. When it passes, the gateway makes no more calls to services and aborts reads: fields that need them return the error `UPSTREAM_TIMEOUT`. No further money operation is sent. One that was already sent continues, including its reads, and its field returns `OutcomeUnknownError`. To get the outcome, repeat the request with the same idempotency key.',
  }),
  log: z.object({
    level: optionalSetting('LOG_LEVEL', oneOf('info', 'warn', 'error', 'off'), {
      unset: 'info; warn with the sandbox',
      description:
        'What the gateway logs to standard error, as JSON lines. `error`: only bugs. `warn`: also anything an operator should know. `info`: also one line per GraphQL request.',
    }),
    operationNames: setting('OPERATION_NAMES', onOrOff, {
      default: 'off',
      description:
        'Whether logs include operation names, and metrics those of persisted documents. In a document that is not persisted, the client chooses the name and can put anything in it.',
    }),
  }),
  drain: z.object({
    delayMs: optionalSetting('DRAIN_DELAY_MS', integer(0, 600_000), {
      unit: 'milliseconds',
      unset: `${DRAIN_DELAY_MS}; 0 with the sandbox`,
      description:
        'How long the gateway keeps accepting requests after SIGTERM while `/ready` returns 503, so that load balancers can stop sending traffic.',
    }),
    maxMs: setting('DRAIN_MS', integer(0, 600_000), {
      default: 25_000,
      unit: 'milliseconds',
      description: 'How long the gateway waits for running requests after `DRAIN_DELAY_MS`.',
    }),
  }),
};

/** The `rawId` of each app, separated by commas, or `*`. */
const appIds: ValueType<UsersAccessRule> = {
  accepts: 'comma-separated app ids (`App.rawId`), or "*" for every app',
  schema: z.string().transform(readUsersAccess),
  mayShowValue: true,
};

const sandboxStarts = 'the sandbox starts';

const services = {
  /** Left out if no URL is set. */
  services: allOrNone({
    usersUrl: requiredSetting('USERS_URL', httpUrl('http://127.0.0.1:2223'), {
      unset: sandboxStarts,
      description: 'Base URL of the user-records service.',
    }),
    paymentsUrl: requiredSetting('PAYMENTS_URL', httpUrl('http://127.0.0.1:2224'), {
      unset: sandboxStarts,
      description: 'Base URL of the payments service.',
    }),
    posUrl: requiredSetting('POS_URL', httpUrl('http://127.0.0.1:2225'), {
      unset: sandboxStarts,
      description: 'URL of the payment page. Payment links point to it.',
    }),
  }),
  usersAccess: setting('USERS_ACCESS', appIds, {
    default: '',
    unset: 'no app',
    description:
      "Apps that may read and change user records. The user-records service has no authentication, so the gateway controls access. The sandbox's demo app always has access.",
  }),
  /** How long the gateway caches which app an app key belongs to. */
  usersAccessTtlMs: constant(60_000),
  limits: z.object({
    getMs: setting('UPSTREAM_GET_ATTEMPT_MS', integer(1, 60_000), {
      default: 2_500,
      unit: 'milliseconds',
      description:
        'Time limit for each attempt to read from a service. Connecting may take at most half of it.',
    }),
    writeMs: setting('UPSTREAM_WRITE_MS', integer(1, 60_000), {
      default: 10_000,
      unit: 'milliseconds',
      description:
        "Time limit for a write to a service. A write continues even if the client disconnects or the request's deadline passes.",
    }),
    maxBytes: setting('UPSTREAM_MAX_BYTES', integer(1_024, 1_024 ** 3), {
      default: 2 * 1_024 ** 2,
      unit: 'bytes',
      description: 'Maximum size of a response from a service.',
    }),
  }),
  upstream: z.object(upstreamSettings),
  pageMax: setting('UPSTREAM_PAGE_MAX', integer(1, 1_000), {
    default: 100,
    description:
      'Maximum number of items the gateway requests from a service in one call. Longer lists take several calls.',
  }),
};

const sync = {
  sync: z.object({
    isOn: setting('SYNC', onOrOff, {
      default: 'on',
      description:
        'Whether the gateway keeps a replica of the transactions, lines, disputes and fraud alerts of the merchants that its own app has access to, so that searches need no calls to the payments service. With the sandbox, that is the demo app. For given services, it requires `PAYMENTS_API_KEY`; without it there is no replica. See `docs/lists.md`.',
    }),
    callsPerSecond: setting('SYNC_CALLS_PER_S', integer(1, 10_000), {
      default: 10,
      description:
        'Maximum number of calls per second that all gateways on one database make to the payments service to keep the replica up to date. With the sandbox, there is no limit.',
    }),
    maxSubscriptions: setting('SUBSCRIPTIONS_MAX', integer(1, 1_000_000), {
      default: 20_000,
      description:
        'Maximum number of subscriptions that are open at the same time in a process. One app key or token can have half of them.',
    }),
    webhooksPrivate: optionalSetting('WEBHOOKS_PRIVATE', onOrOff, {
      unset: 'on with the sandbox, otherwise off',
      description:
        "Whether webhooks can be sent to the operator's own network, also without TLS. Otherwise, the URL of an endpoint must begin with `https:`, and every address of its host must be public.",
    }),
    keepDays: setting('EVENT_RETENTION_DAYS', integer(1, 3_650), {
      default: 30,
      description:
        'After how many days events, and the replica of a merchant that the app has left, are deleted.',
    }),
  }),
};

const money = {
  money: z.object({
    databaseUrl: optionalSetting('DATABASE_URL', postgresUrl, {
      secret: true,
      unset: 'an embedded database in `DATA_DIR`',
      description:
        'PostgreSQL database for money operations. Takes precedence over `DATA_DIR`. All gateways in front of the same payments service must use the same database.',
    }),
    connections: setting('DATABASE_CONNECTIONS', integer(5, 1_000), {
      default: 10,
      description:
        'Maximum number of connections from each process to `DATABASE_URL`. A rate limit needs two more.',
    }),
    dataDir,
    guardedRepost: setting('MONEY_GUARDED_REPOST', onOrOff, {
      default: 'on',
      description:
        'Whether the gateway may send a money operation a second time. It does so only if a client repeats the request, the outcome is unknown, and the service cannot apply the operation twice, for example because it captures the full amount.',
    }),
    maxProcessingMs: optionalSetting('UPSTREAM_MAX_PROCESSING_MS', integer(0, 2_147_483_647), {
      unit: 'milliseconds',
      unset: 'no limit',
      description:
        'Longest time between the gateway recording a request and the payments service applying it, including any pause of the gateway process before sending. An `UNKNOWN` operation whose effect is not visible this long plus `UPSTREAM_WRITE_MS` after the request was recorded ends as `NOT_APPLIED`. If the value is too small, a client that then uses a new key can move the money twice. If unset, an operation without a visible effect stays `UNKNOWN`.',
    }),
    leaseMs: setting('MONEY_LEASE_MS', integer(1_000, 3_600_000), {
      default: 30_000,
      unit: 'milliseconds',
      description:
        'How long a process may hold a money operation before another process takes it over. Must be at least twice `UPSTREAM_WRITE_MS`.',
    }),
    retentionDays: setting('MONEY_KEY_RETENTION_DAYS', integer(1, 3_650), {
      default: 35,
      unit: 'days',
      description:
        'How long a money operation and its idempotency key are kept after the operation ends.',
    }),
    reconcileKey: optionalSetting('MONEY_RECONCILE_API_KEY', appKey, {
      secret: true,
      unset:
        'the gateway reconciles an operation only when a client repeats its request or queries it',
      description:
        'App key for reconciling `UNKNOWN` operations in the background: 30 seconds after startup, 2 minutes later, and then every 10 minutes. The app needs access to every merchant with money operations. The key is only used for reads.',
    }),
    operatorKey: optionalSetting('MONEY_OPERATOR_API_KEY', appKey, {
      secret: true,
      unset:
        "`MONEY_RECONCILE_API_KEY` is used; if that is also unset, the operator's decisions are not verified",
      description:
        "App key that `tillgraph money` uses to read a transaction and verify the operator's decision. The app needs access to the transaction's merchant. The key is only used for reads.",
    }),
  }),
};

const declared = z.object({
  ...server,
  ...authSettings,
  ...requestSettings,
  ...persistedSettings,
  ...services,
  ...speedSettings,
  ...sync,
  ...money,
  ...telemetrySettings,
});

/** A process must not lose an operation while its request is still on the way. */
const leaseCoversWrite: Rule<typeof declared> = {
  reads: [
    ['limits', 'writeMs'],
    ['money', 'leaseMs'],
  ],
  check: ({ limits: { writeMs }, money: { leaseMs } }) =>
    leaseMs < 2 * writeMs
      ? `MONEY_LEASE_MS must be at least twice UPSTREAM_WRITE_MS; the values were ${leaseMs} and ${writeMs}.`
      : undefined,
};

/** The sandbox's demo app has a key that the gateway can use; a given service has none. */
const tokensNeedKey: Rule<typeof declared> = {
  reads: [['auth'], ['services']],
  check: ({ auth, services }) =>
    auth.mode === 'jwt' && services !== undefined && auth.paymentsKey === undefined
      ? 'AUTH=jwt with PAYMENTS_URL requires PAYMENTS_API_KEY.'
      : undefined,
};

/** An embedded database, and the sandbox, belong to one process. */
const workersShareDatabase: Rule<typeof declared> = {
  reads: [['workers'], ['services'], ['money', 'databaseUrl']],
  check: ({ workers, services, money: { databaseUrl } }) =>
    workers > 1 && (services === undefined || databaseUrl === undefined)
      ? `WORKERS=${workers} requires DATABASE_URL, USERS_URL, PAYMENTS_URL and POS_URL, because the embedded database and the sandbox run in a single process.`
      : undefined,
};

/** Worker n opens the port OPERATIONS_PORT + n. */
const workersNeedPorts: Rule<typeof declared> = {
  reads: [['workers'], ['operations', 'port']],
  check: ({ workers, operations: { port } }) =>
    workers > 1 && port === 0
      ? `WORKERS=${workers} requires an OPERATIONS_PORT other than 0, because each worker uses the next port.`
      : undefined,
};

/** All settings of the gateway, in the shape that `createGateway` takes. */
export const gatewaySettings = addRules(declared, [
  leaseCoversWrite,
  tokensNeedSettings,
  tokensNeedKey,
  workersShareDatabase,
  workersNeedPorts,
  persistedDocumentsNeedPath,
]);

/** The same settings, as the documentation groups them. */
export const gatewayGroups: readonly SettingsGroup[] = [
  {
    title: 'Gateway',
    introduction: 'The server that your clients call.',
    settings: z.object(server),
  },
  {
    title: 'Callers',
    introduction:
      'How the gateway authenticates callers. By default, clients send an app key, which the payments service checks. With `AUTH=jwt`, they send tokens, which the gateway checks. See "Tokens" in `docs/access.md`.',
    settings: z.object(authSettings),
  },
  {
    title: 'Requests',
    introduction:
      'Limits on requests. A request that exceeds one returns an error with a code and has no effect. Only `MAX_RESPONSE_BYTES` is checked after the request was executed.',
    settings: z.object(requestSettings),
  },
  {
    title: 'Persisted documents',
    introduction:
      'Documents known to the gateway, which clients can send by id. See `docs/persisted-documents.md`.',
    settings: z.object(persistedSettings),
  },
  {
    title: 'Services',
    introduction:
      'The services behind the gateway, and limits on calls to them. Set all of `USERS_URL`, `PAYMENTS_URL` and `POS_URL`, or none of them to start the sandbox.',
    settings: z.object(services),
  },
  {
    title: 'Speed',
    introduction: 'Optimizations. Turning one off does not change any response.',
    settings: z.object(speedSettings),
  },
  {
    title: 'Replica',
    introduction:
      'The gateway keeps a replica of the lists of its merchants, to search them. It is in the database of the money operations.',
    settings: z.object(sync),
  },
  {
    title: 'Money operations',
    introduction:
      "How the gateway stores and reconciles money operations: captures, refunds, voids and new transactions. The operator's command, `tillgraph money`, needs the same `DATABASE_URL` or `DATA_DIR` as the gateway.",
    settings: z.object(money),
  },
  {
    title: 'Telemetry',
    introduction:
      "Metrics and traces. See `docs/observe.md`. With a collector, the gateway also reads OpenTelemetry's own variables, such as `OTEL_EXPORTER_OTLP_PROTOCOL` (`http/protobuf`, the default, or `http/json`), `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`, `OTEL_BSP_SCHEDULE_DELAY` and `OTEL_METRIC_EXPORT_INTERVAL`.",
    settings: z.object(telemetrySettings),
  },
];

/** The settings that the operator's command needs; those of the other services may be unset. */
const operatorSettings = z.object({
  limits: services.limits,
  upstream: services.upstream,
  pageMax: services.pageMax,
  money: money.money,
  paymentsUrl: optionalSetting('PAYMENTS_URL', httpUrl('http://127.0.0.1:2224'), {
    unset: sandboxStarts,
    description: 'Base URL of the payments service.',
  }),
});

/** Values of the settings of the operator's command. */
export type OperatorSettings = z.output<typeof operatorSettings>;

/** Reads the settings of the operator's command. Throws a `SettingsError`. */
export function readOperatorSettings(env: EnvironmentVariables): OperatorSettings {
  return readSettings(operatorSettings, env);
}

/** Values of all settings of the gateway. */
export type GatewaySettings = z.output<typeof gatewaySettings>;

/** URLs of the services behind the gateway; `posUrl` is that of the payment page. */
export type ServiceUrls = NonNullable<GatewaySettings['services']>;

/** Reads the settings of the gateway. Throws a `SettingsError`. */
export function readGatewaySettings(env: EnvironmentVariables): GatewaySettings {
  return readSettings(gatewaySettings, env);
}

function readUsersAccess(value: string): UsersAccessRule {
  if (value === '*') return '*';
  return value
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

/** The ids of the apps that may read and write user records. `*` allows every app with a valid key. */
export type UsersAccessRule = '*' | readonly string[];
