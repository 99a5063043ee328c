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
  accepts: 'host names in lower case without ports, separated by commas, or "*"',
  schema: listOf(HOST_NAME, '').schema.transform((names) => (names.includes('*') ? '*' : names)),
  mayShowValue: true,
};

const environment: ValueType<boolean> = {
  accepts: 'text',
  schema: z.string().transform((value) => value === 'production'),
  mayShowValue: true,
};

const offInProduction = 'on; off if `NODE_ENV` is `production`';

const http = z.object({
  maxBodyBytes: setting('MAX_BODY_BYTES', integer(1_024, 1_024 ** 3), {
    default: 256 * 1_024,
    unit: 'bytes',
    description: 'Maximum size of the body of a request.',
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
      '`localhost`, `127.0.0.1` and `[::1]` if `HOST` is a loopback address; every name otherwise',
    description:
      'Names by which clients may call the gateway, or `*`. A request with another `Host` header returns the status 421.',
  }),
  corsOrigins: setting(
    'CORS_ORIGINS',
    listOf(ORIGIN, 'origins, such as https://shop.example, separated by commas'),
    {
      default: '',
      unset: 'none',
      description:
        'Origins whose web pages may call the gateway from a browser, such as `https://shop.example`.',
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
      'How long the gateway keeps a connection on which no request arrives. Set it to more than the idle timeout of your load balancer; otherwise a request can arrive while the gateway closes the connection, and fails.',
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
      'Maximum number of requests that run at the same time. Another one returns the status 503. As many more can be arriving: if there is one more, the one that has been arriving longest returns the status 503.',
  }),
  loopDelayMs: optionalSetting('SHED_LOOP_DELAY_MS', integer(50, 3_600_000), {
    unset: '200; 10000 with the sandbox',
    unit: 'milliseconds',
    description:
      'If the event loop of the process has been this late on average for half a second, new requests return the status 503. The default is higher with the sandbox, because the sandbox keeps the event loop busy while it replaces its records.',
  }),
});

const rate = z.object({
  pointsPerMinute: setting('RATE_LIMIT_PER_MINUTE', integer(0, 1_000_000_000), {
    default: 0,
    description:
      'How much complexity the operations with one app key may have in a minute. A minute begins with the first request after the previous one; a client can use the whole amount at once. Responses have the headers `RateLimit` and `RateLimit-Policy`. An operation for which too little is left returns the status 429 and the code `RATE_LIMITED`, and so does every other request with the key until the minute ends. All clients without an app key count as one app. With `DATABASE_URL`, all gateways on the database count together the requests with app keys that the payments service has accepted, or with valid tokens; while the database does not respond, each counts alone. 0 turns this limit off.',
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
        'Maximum number of levels of fields in an operation. The introspection query of GraphiQL has 15.',
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
        'Maximum complexity of an operation: the number of objects that its response can have. A connection counts as many items as its `first` or `last`, or 20 if the query has neither. A list that has no such arguments counts as three items.',
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
      'In `production`, introspection, GraphiQL and the status page are off unless you turn them on. Nothing else depends on it.',
  }),
  introspection: optionalSetting('INTROSPECTION', onOrOff, {
    unset: offInProduction,
    description:
      'Whether clients may read the schema with introspection. If they may, an error about a name that the schema does not have suggests similar ones.',
  }),
  graphiql: optionalSetting('GRAPHIQL', onOrOff, {
    unset: offInProduction,
    description: 'Whether the gateway serves GraphiQL and the diagram of the schema.',
  }),
  statusPage: optionalSetting('STATUS_PAGE', onOrOff, {
    unset: offInProduction,
    description:
      'Whether `/` shows the version, the state of each part and the addresses of the services: as a page, or as JSON for programs.',
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
      'Which documents clients may send: `off`: texts only. `prefer`: texts, and the ids of known documents. `only`: known documents only. `report`: the same as `prefer`, and the log line of each request shows what `only` would reject.',
  }),
  path: optionalSetting('PERSISTED_DOCUMENTS_PATH', text, {
    unset: 'no document is known; required if `PERSISTED_DOCUMENTS` is not `off`',
    description:
      'File or folder with the known documents. The gateway reads it when it starts, and again at the signal SIGHUP.',
  }),
});

/** Which documents clients may send. */
export const persistedSettings = { persisted };

/** Without a path, no document is known. */
export const persistedDocumentsNeedPath: Rule<z.ZodObject<typeof persistedSettings>> = {
  reads: [['persisted']],
  check: ({ persisted: { mode, path } }) =>
    mode !== 'off' && path === undefined
      ? `PERSISTED_DOCUMENTS=${mode} also needs PERSISTED_DOCUMENTS_PATH.`
      : undefined,
};
