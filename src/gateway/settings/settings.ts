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
import { speedSettings } from './speed-settings.ts';
import { telemetrySettings } from './telemetry-settings.ts';
import { upstreamSettings } from './upstream-settings.ts';

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
      'How many processes answer requests. Limits of the whole gateway are divided between them. More than one need `DATABASE_URL`, and services other than the sandbox: see the section "Workers" of `docs/install.md`.',
  }),
  federation: setting('FEDERATION', only('subgraph'), {
    default: '',
    unset: 'the gateway serves a standalone schema',
    description: 'Set to `subgraph` to serve the schema as a subgraph of Apollo Federation v2.',
  }),
  deadlineMs: setting('REQUEST_DEADLINE_MS', integer(3_000, 300_000), {
    default: 15_000,
    unit: 'milliseconds',
    description:
      'Time limit for a request. After it, the gateway begins no call to a service and aborts reads: the fields that need them return the error `UPSTREAM_TIMEOUT`. It sends no money operation. An operation that was already sent continues, including its reads, and its field returns `OutcomeUnknownError`. To get the outcome, repeat the request with the same idempotency key.',
  }),
  log: z.object({
    level: optionalSetting('LOG_LEVEL', oneOf('info', 'warn', 'error', 'off'), {
      unset: 'info; warn with the sandbox',
      description:
        'What the gateway writes to standard error, as JSON lines: `info` adds a line for each GraphQL request, `warn` shows what the operator should know, and `error` only bugs.',
    }),
    operationNames: setting('OPERATION_NAMES', onOrOff, {
      default: 'off',
      description:
        'Whether the log shows the names of operations, and metrics those of persisted documents. A client can write anything into the name of another document.',
    }),
  }),
  drain: z.object({
    delayMs: optionalSetting('DRAIN_DELAY_MS', integer(0, 600_000), {
      unit: 'milliseconds',
      unset: `${DRAIN_DELAY_MS}; 0 with the sandbox`,
      description:
        'How long the gateway still accepts requests after SIGTERM, while `/ready` returns the status 503, so that a load balancer notices it.',
    }),
    maxMs: setting('DRAIN_MS', integer(0, 600_000), {
      default: 25_000,
      unit: 'milliseconds',
      description:
        'How long the gateway waits, after `DRAIN_DELAY_MS`, for the requests that are running.',
    }),
  }),
};

/** The `rawId` of each app, separated by commas, or `*`. */
const appIds: ValueType<UsersAccessRule> = {
  accepts: 'ids of apps (`App.rawId`) separated by commas, or "*" for every app',
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
      'Apps that may read and change user records. The user-records service has no authentication of its own, so the gateway decides. The demo app of the sandbox always has access.',
  }),
  /** How long the gateway caches which app an app key belongs to. */
  usersAccessTtlMs: constant(60_000),
  limits: z.object({
    getMs: setting('UPSTREAM_GET_ATTEMPT_MS', integer(1, 60_000), {
      default: 2_500,
      unit: 'milliseconds',
      description:
        'Time limit for one attempt to read from a service. Connecting to it may take half of this.',
    }),
    writeMs: setting('UPSTREAM_WRITE_MS', integer(1, 60_000), {
      default: 10_000,
      unit: 'milliseconds',
      description:
        'Time limit for a write to a service. A write continues even if the client disconnects, or the deadline of the request passes.',
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
      'Maximum number of items the gateway requests from a service in one call. It reads longer lists in several calls.',
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
        'Maximum number of connections of each process to the database of `DATABASE_URL`. A rate limit needs two more.',
    }),
    dataDir,
    guardedRepost: setting('MONEY_GUARDED_REPOST', onOrOff, {
      default: 'on',
      description:
        'If `on`, the gateway can send a money operation a second time. It does so only if a client repeats the request, the outcome is unknown, and the service cannot apply the operation twice, for example because it captures the complete amount. If `off`, the gateway never sends an operation twice.',
    }),
    maxProcessingMs: optionalSetting('UPSTREAM_MAX_PROCESSING_MS', integer(0, 2_147_483_647), {
      unit: 'milliseconds',
      unset: 'no limit',
      description:
        'The longest time from when the gateway records a request until the payments service has applied it. It includes pauses of the gateway process before it sends the request. An `UNKNOWN` operation ends as `NOT_APPLIED` if its effect is not visible after this time plus `UPSTREAM_WRITE_MS`, counted from when the gateway recorded the request. If the value is too small, a client that then uses a new key can move the money twice. If unset, an operation without an effect stays `UNKNOWN`.',
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
        'App key that the gateway uses to reconcile `UNKNOWN` operations in the background: 30 seconds after the start, 2 minutes later, and then every 10 minutes. The app needs access to every merchant with money operations. The gateway only reads with this key.',
    }),
    operatorKey: optionalSetting('MONEY_OPERATOR_API_KEY', appKey, {
      secret: true,
      unset:
        '`MONEY_RECONCILE_API_KEY` is used; if that is also unset, the decisions of the operator are not verified',
      description:
        'App key with which `tillgraph money` reads a transaction to verify the decision of the operator. The app needs access to the merchant of the transaction. The command only reads with this key.',
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
      ? `MONEY_LEASE_MS must be at least twice UPSTREAM_WRITE_MS; they were ${leaseMs} and ${writeMs}.`
      : undefined,
};

/** The sandbox's demo app has a key that the gateway can use; a given service has none. */
const tokensNeedKey: Rule<typeof declared> = {
  reads: [['auth'], ['services']],
  check: ({ auth, services }) =>
    auth.mode === 'jwt' && services !== undefined && auth.paymentsKey === undefined
      ? 'AUTH=jwt also needs PAYMENTS_API_KEY, because PAYMENTS_URL is set.'
      : undefined,
};

/** An embedded database, and the sandbox, belong to one process. */
const workersShareDatabase: Rule<typeof declared> = {
  reads: [['workers'], ['services'], ['money', 'databaseUrl']],
  check: ({ workers, services, money: { databaseUrl } }) =>
    workers > 1 && (services === undefined || databaseUrl === undefined)
      ? `WORKERS=${workers} also needs DATABASE_URL, USERS_URL, PAYMENTS_URL and POS_URL, because an embedded database and the sandbox belong to one process.`
      : undefined,
};

/** Worker n opens the port OPERATIONS_PORT + n. */
const workersNeedPorts: Rule<typeof declared> = {
  reads: [['workers'], ['operations', 'port']],
  check: ({ workers, operations: { port } }) =>
    workers > 1 && port === 0
      ? `WORKERS=${workers} needs an OPERATIONS_PORT other than 0, because each worker uses the next port.`
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
      'How the gateway knows who sends a request. By default, clients send the key of an app, and the payments service decides. With `AUTH=jwt`, they send tokens, and the gateway decides: see the section "Tokens" of `docs/access.md`.',
    settings: z.object(authSettings),
  },
  {
    title: 'Requests',
    introduction:
      'What clients may send. A request that exceeds a limit returns an error with a code, and does nothing. Only `MAX_RESPONSE_BYTES` is checked after the request was executed.',
    settings: z.object(requestSettings),
  },
  {
    title: 'Persisted documents',
    introduction:
      'Documents that the gateway knows, so that clients send an id in place of a text: see `docs/persisted-documents.md`.',
    settings: z.object(persistedSettings),
  },
  {
    title: 'Services',
    introduction:
      'The services behind the gateway, and the limits of calls to them. Set `USERS_URL`, `PAYMENTS_URL` and `POS_URL` together, or leave all three unset to start the sandbox.',
    settings: z.object(services),
  },
  {
    title: 'Speed',
    introduction:
      'What makes the gateway faster. You can turn each part off: the responses stay the same.',
    settings: z.object(speedSettings),
  },
  {
    title: 'Money operations',
    introduction:
      'How the gateway stores and reconciles money operations: captures, refunds, voids and new transactions. The command of the operator, `tillgraph money`, needs the same `DATABASE_URL` or `DATA_DIR` as the gateway.',
    settings: z.object(money),
  },
  {
    title: 'Telemetry',
    introduction:
      'Metrics and traces: see `docs/observe.md`. If there is a collector, the variables of OpenTelemetry say how it is used, such as `OTEL_EXPORTER_OTLP_PROTOCOL` (`http/protobuf`, the default, or `http/json`), `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`, `OTEL_BSP_SCHEDULE_DELAY` and `OTEL_METRIC_EXPORT_INTERVAL`.',
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
