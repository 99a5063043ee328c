import { z } from 'zod';
import type { Rule } from '../../settings/rule.ts';
import { constant, optionalSetting, setting } from '../../settings/setting.ts';
import { integer, oneOf, onOrOff, text, type ValueType } from '../../settings/value-types.ts';

/** Texts separated by commas, each of which has to match. */
function listOf(pattern: RegExp, accepts: string): ValueType<readonly string[]> {
  return {
    accepts,
    schema: z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .refine((parts) => parts.every((part) => part === '' || pattern.test(part)))
      .transform((parts) => parts.filter((part) => part !== '')),
    mayShowValue: true,
  };
}

const HOST_NAME = /^(\*|\[[0-9a-f:.]+\]|[a-z0-9_][a-z0-9._-]*)$/;
const ORIGIN = /^https?:\/\/[a-z0-9.[\]:_-]+$/;

const hostNames: ValueType<readonly string[] | '*'> = {
  accepts: 'comma-separated lowercase host names without ports, or "*"',
  schema: listOf(HOST_NAME, '').schema.transform((names) => (names.includes('*') ? '*' : names)),
  mayShowValue: true,
};

const environment: ValueType<boolean> = {
  accepts: 'a string',
  schema: z.string().transform((value) => value === 'production'),
  mayShowValue: true,
};

const offInProduction = 'on; off if `NODE_ENV` is `production`';

const http = z.object({
  maxBodyBytes: setting('MAX_BODY_BYTES', integer(1_024, 1_024 ** 3), {
    default: 256 * 1_024,
    unit: 'bytes',
    description: 'Maximum size of a request body.',
  }),
  /** Maximum number of levels in the JSON of a request. */
  maxJsonDepth: constant(100),
  maxResponseBytes: setting('MAX_RESPONSE_BYTES', integer(1_024, 1_024 ** 3), {
    default: 8 * 1_024 ** 2,
    unit: 'bytes',
    description: 'Maximum size of a response.',
  }),
  allowedHosts: optionalSetting('ALLOWED_HOSTS', hostNames, {
    unset:
      '`localhost`, `127.0.0.1` and `[::1]` if `HOST` is a loopback address; otherwise any name',
    description:
      'Host names that clients may use, or `*` for any. A request with another `Host` header gets 421.',
  }),
  corsOrigins: setting(
    'CORS_ORIGINS',
    listOf(ORIGIN, 'comma-separated origins, such as https://shop.example'),
    {
      default: '',
      unset: 'none',
      description: 'Origins whose web pages may call the gateway.',
    },
  ),
});

const connections = z.object({
  /** Maximum size of all headers of a request. */
  maxHeaderBytes: constant(16 * 1_024),
  /** Time limit for a client to send the headers of a request. */
  headersMs: constant(10_000),
  /** Time limit for a client to send a complete request. */
  requestMs: constant(15_000),
  keepAliveMs: setting('KEEP_ALIVE_TIMEOUT_MS', integer(1_000, 3_600_000), {
    default: 65_000,
    unit: 'milliseconds',
    description:
      "How long the gateway keeps an idle connection open. Must be longer than your load balancer's idle timeout; otherwise requests can fail because they arrive while the gateway closes the connection.",
  }),
  /** Time limit for a client to read a complete response. */
  responseMs: constant(30_000),
  /** Maximum size of all responses that clients have not read. */
  maxUnreadBytes: constant(128 * 1_024 ** 2),
});

const load = z.object({
  inFlight: setting('MAX_IN_FLIGHT', integer(1, 100_000), {
    default: 512,
    description:
      'Maximum number of requests that run at the same time. Further requests get 503. The same limit applies to requests whose bodies are still arriving: when it is exceeded, the oldest of them gets 503.',
  }),
  loopDelayMs: optionalSetting('SHED_LOOP_DELAY_MS', integer(50, 3_600_000), {
    unset: '200; 10000 with the sandbox',
    unit: 'milliseconds',
    description:
      'New requests get 503 while the mean event loop delay, measured every half second, exceeds this. The default is higher with the sandbox, which keeps the event loop busy while it replaces its records.',
  }),
});

const rate = z.object({
  pointsPerMinute: setting('RATE_LIMIT_PER_MINUTE', integer(0, 1_000_000_000), {
    default: 0,
    description:
      'Total complexity that the operations of one app key may have per minute. 0 means no limit. A minute starts with the first request after the previous minute ended, and the whole amount can be used at once. Responses have `RateLimit` and `RateLimit-Policy` headers. An operation that exceeds what is left gets 429 with the code `RATE_LIMITED`, and so does every other request with the key until the minute ends. All clients without an app key count as one app. With `DATABASE_URL`, all gateways on the database share the counts of valid tokens and of app keys that the payments service has accepted. While the database does not respond, each gateway counts alone.',
  }),
  /** How many apps all clients without a valid app key together may create in a minute. */
  keylessPerMinute: constant(60),
});

const documents = z.object({
  limits: z.object({
    /** Maximum number of tokens in a document. */
    tokens: constant(1_000),
    depth: setting('MAX_DEPTH', integer(1, 100), {
      default: 15,
      description:
        "Maximum nesting depth of fields in an operation. GraphiQL's introspection query has 15 levels.",
    }),
    /** Maximum number of aliases in an operation. */
    aliases: constant(30),
    /** Maximum number of fields at the outermost level of an operation. */
    rootFields: constant(20),
    /** Maximum number of captures, refunds, voids and new transactions in an operation. */
    moneyFields: constant(5),
    /** Maximum number of directives in an operation. */
    directives: constant(8),
    complexity: setting('MAX_COMPLEXITY', integer(1, 10_000_000), {
      default: 5_000,
      description:
        'Maximum complexity of an operation: the number of objects its response can contain. A connection counts as `first` or `last` items, or 20 if the query has neither. A list without these arguments counts as three items.',
    }),
    /** Maximum number of errors that are reported for a document. */
    errors: constant(5),
  }),
  cache: z.object({
    /** How many documents the gateway keeps, so that it parses them once. */
    documents: constant(1_000),
    /** About how much memory they may take, in bytes. */
    size: constant(32 * 1_024 ** 2),
    /** How many documents with errors the gateway keeps. */
    invalid: constant(50),
  }),
});

const exports = z.object({
  /** Maximum number of items in one export. */
  maxItems: constant(1_000_000),
  /** Time limit for an export. */
  maxMs: constant(3_600_000),
  /** How many exports may run at the same time. */
  inFlight: constant(2),
  /** How many calls to a service one export makes in a second. */
  maxCallsPerSecond: constant(20),
});

/** What clients may send. */
export const requestSettings = {
  exports,
  production: setting('NODE_ENV', environment, {
    default: '',
    unset: 'development',
    description:
      'With `production`, introspection, GraphiQL and the status page are off unless you turn them on. It has no other effect.',
  }),
  introspection: optionalSetting('INTROSPECTION', onOrOff, {
    unset: offInProduction,
    description:
      'Whether clients may introspect the schema. If so, errors about unknown names also suggest similar ones.',
  }),
  graphiql: optionalSetting('GRAPHIQL', onOrOff, {
    unset: offInProduction,
    description: 'Whether the gateway serves GraphiQL and the schema diagram.',
  }),
  statusPage: optionalSetting('STATUS_PAGE', onOrOff, {
    unset: offInProduction,
    description:
      'Whether `/` shows the version, the state of each component and the service URLs, as a page or as JSON.',
  }),
  http,
  connections,
  load,
  rate,
  documents,
};

/** Whether GraphiQL and the diagram of the schema are served. */
export function hasPages({
  production,
  graphiql = !production,
}: {
  readonly production: boolean;
  readonly graphiql?: boolean;
}): boolean {
  return graphiql;
}

const persisted = z.object({
  mode: setting('PERSISTED_DOCUMENTS', oneOf('off', 'prefer', 'only', 'report'), {
    default: 'off',
    description:
      "Which documents clients may send. `off`: any document, as text. `prefer`: any document as text, or known documents by id. `only`: known documents only. `report`: like `prefer`, and each request's log line shows whether `only` would have rejected it.",
  }),
  path: optionalSetting('PERSISTED_DOCUMENTS_PATH', text, {
    unset: 'no known documents; required if `PERSISTED_DOCUMENTS` is not `off`',
    description:
      'File or folder with the known documents. The gateway reads it at startup and on SIGHUP.',
  }),
});

/** Which documents clients may send. */
export const persistedSettings = { persisted };

/** Without a path, no document is known. */
export const persistedDocumentsNeedPath: Rule<z.ZodObject<typeof persistedSettings>> = {
  reads: [['persisted']],
  check: ({ persisted: { mode, path } }) =>
    mode !== 'off' && path === undefined
      ? `PERSISTED_DOCUMENTS=${mode} requires PERSISTED_DOCUMENTS_PATH.`
      : undefined,
};
