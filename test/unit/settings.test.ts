import { describe, expect, test } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { readSandboxSettings } from '../../src/sandbox/settings.ts';
import { SettingsError } from '../../src/settings/read-settings.ts';

const URLS = {
  USERS_URL: 'http://127.0.0.1:1',
  PAYMENTS_URL: 'https://pay.example/api/',
  POS_URL: 'http://[::1]:3',
};

/** The complaint about an invalid service URL, with the example of its setting. */
function invalidUrl(name: string, examplePort: number): string {
  return `${name} must be an http or https URL without username, password, query or fragment, such as http://127.0.0.1:${examplePort}.`;
}

/** What a reader of settings complains about; empty if it complains about nothing. */
function complaintsOf(
  read: (env: NodeJS.ProcessEnv) => unknown,
  env: NodeJS.ProcessEnv,
): readonly string[] {
  try {
    read(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.complaints;
    throw error;
  }
}

/** How callers are known, and what they may send, if nothing is set. */
const REQUESTS = {
  auth: {
    mode: 'key',
    clockToleranceMs: 60_000,
    scopesClaim: 'scope',
    merchantsClaim: 'merchants',
  },
  persisted: { mode: 'off' },
  production: false,
  http: {
    maxBodyBytes: 262_144,
    maxJsonDepth: 100,
    maxResponseBytes: 8_388_608,
    corsOrigins: [],
  },
  connections: {
    maxHeaderBytes: 16_384,
    headersMs: 10_000,
    requestMs: 15_000,
    keepAliveMs: 65_000,
    responseMs: 30_000,
    maxUnreadBytes: 134_217_728,
  },
  load: { inFlight: 512 },
  rate: { pointsPerMinute: 0, keylessPerMinute: 60 },
  exports: { maxItems: 1_000_000, maxMs: 3_600_000, inFlight: 2, maxCallsPerSecond: 20 },
  documents: {
    limits: {
      tokens: 1_000,
      depth: 15,
      aliases: 30,
      rootFields: 20,
      moneyFields: 5,
      directives: 8,
      complexity: 5_000,
      errors: 5,
    },
    cache: { documents: 1_000, size: 33_554_432, invalid: 50 },
  },
};

/** Settings of a gateway that accepts tokens. */
const TOKENS = {
  AUTH: 'jwt',
  JWT_ISSUER: 'https://id.example',
  JWT_AUDIENCE: 'tillgraph',
  JWT_SECRET: 'a secret of 32 characters or more',
};

/** How services are called, if nothing is set. */
const UPSTREAM = {
  connections: { reads: 64, writes: 16, queue: 4_096, keepAliveMs: 4_000 },
  resilience: {
    retries: 2,
    totalMs: 8_000,
    retryBudget: { ratio: 0.2, perSecond: 10 },
    breaker: { consecutive: 5, ratio: 0.5, minCalls: 20, windowMs: 10_000, openMs: 5_000 },
  },
  allowance: { maxCalls: 250, maxBytes: 16_777_216 },
  maxHeldBytes: 67_108_864,
  maxSearchCalls: 20,
};

const SPEED = {
  coalesce: { mode: 'operation', epoch: 'credential' },
  freezesReads: false,
  fastPath: true,
  readsAhead: true,
  plans: { isEnabled: true, count: 1_000 },
};

const TELEMETRY = {
  operations: { host: '127.0.0.1' },
};

describe('the gateway', () => {
  test('has a default for everything', () => {
    expect(readGatewaySettings({})).toEqual({
      ...REQUESTS,
      host: '127.0.0.1',
      port: 4000,
      workers: 1,
      usersAccess: [],
      usersAccessTtlMs: 60_000,
      limits: { getMs: 2_500, writeMs: 10_000, maxBytes: 2_097_152 },
      upstream: UPSTREAM,
      pageMax: 100,
      federation: false,
      deadlineMs: 15_000,
      drain: { maxMs: 25_000 },
      log: { operationNames: false },
      ...SPEED,
      sync: { isOn: true, callsPerSecond: 10, maxSubscriptions: 20_000, keepDays: 30 },
      ...TELEMETRY,
      money: {
        connections: 10,
        dataDir: '.data',
        guardedRepost: true,
        leaseMs: 30_000,
        retentionDays: 35,
      },
    });
  });

  test('takes each setting of persisted documents, which need a path', () => {
    const env = {
      PERSISTED_DOCUMENTS: 'report',
      PERSISTED_DOCUMENTS_PATH: 'documents',
    };
    expect(readGatewaySettings(env).persisted).toEqual({ mode: 'report', path: 'documents' });
    expect(complaintsOf(readGatewaySettings, { PERSISTED_DOCUMENTS: 'only' })).toEqual([
      'PERSISTED_DOCUMENTS=only requires PERSISTED_DOCUMENTS_PATH.',
    ]);
    expect(complaintsOf(readGatewaySettings, { PERSISTED_DOCUMENTS: 'on' })).toEqual([
      'PERSISTED_DOCUMENTS must be "off" or "prefer" or "only" or "report"; it was "on".',
    ]);
  });

  test('takes each setting of requests', () => {
    expect(
      readGatewaySettings({
        NODE_ENV: 'production',
        INTROSPECTION: 'on',
        GRAPHIQL: 'off',
        MAX_BODY_BYTES: '1025',
        MAX_RESPONSE_BYTES: '1026',
        ALLOWED_HOSTS: 'pay.example, [::1]',
        CORS_ORIGINS: 'https://a.example,http://localhost:3000',
        KEEP_ALIVE_TIMEOUT_MS: '1004',
        MAX_IN_FLIGHT: '1',
        SHED_LOOP_DELAY_MS: '51',
        RATE_LIMIT_PER_MINUTE: '52',
        MAX_DEPTH: '2',
        MAX_COMPLEXITY: '7',
      }),
    ).toMatchObject({
      production: true,
      introspection: true,
      graphiql: false,
      http: {
        maxBodyBytes: 1_025,
        maxResponseBytes: 1_026,
        allowedHosts: ['pay.example', '[::1]'],
        corsOrigins: ['https://a.example', 'http://localhost:3000'],
      },
      connections: { keepAliveMs: 1_004 },
      load: { inFlight: 1, loopDelayMs: 51 },
      rate: { pointsPerMinute: 52 },
      documents: { limits: { depth: 2, complexity: 7 } },
    });
    expect(readGatewaySettings({ ALLOWED_HOSTS: '*' }).http.allowedHosts).toBe('*');
  });

  test('takes each setting of the calls to services', () => {
    expect(
      readGatewaySettings({
        UPSTREAM_CONNECTIONS: '2',
        UPSTREAM_GET_RETRIES: '0',
        BREAKER_CONSECUTIVE: '9',
        MAX_UPSTREAM_CALLS: '14',
        MAX_UPSTREAM_BYTES_HELD: '1600000',
        FILTER_MAX_CALLS: '15',
      }).upstream,
    ).toMatchObject({
      connections: { reads: 2 },
      resilience: { retries: 0, breaker: { consecutive: 9 } },
      allowance: { maxCalls: 14 },
      maxHeldBytes: 1_600_000,
      maxSearchCalls: 15,
    });
  });

  test('takes each setting, and empty text for none', () => {
    expect(
      readGatewaySettings({
        ...URLS,
        HOST: '0.0.0.0',
        PORT: ' 8080 ',
        WORKERS: '3',
        USERS_ACCESS: 'a1, a2,',
        UPSTREAM_GET_ATTEMPT_MS: '3',
        UPSTREAM_WRITE_MS: '4',
        UPSTREAM_MAX_BYTES: '5000',
        UPSTREAM_PAGE_MAX: '6',
        FEDERATION: 'subgraph',
        REQUEST_DEADLINE_MS: '7000',
        LOG_LEVEL: 'off',
        OPERATION_NAMES: 'on',
        COALESCE: 'upstream',
        FAST_PATH: 'off',
        JIT: 'off',
        OPERATIONS_PORT: '14',
        OPERATIONS_HOST: '0.0.0.0',
        DATABASE_CONNECTIONS: '20',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
        DRAIN_DELAY_MS: '11',
        DRAIN_MS: '12',
        DATABASE_URL: 'postgresql://localhost/money',
        DATA_DIR: '/data',
        MONEY_GUARDED_REPOST: 'off',
        MONEY_LEASE_MS: '8000',
        MONEY_KEY_RETENTION_DAYS: '9',
        MONEY_RECONCILE_API_KEY: 'key',
        UPSTREAM_MAX_PROCESSING_MS: '10',
        SYNC: 'off',
        SYNC_CALLS_PER_S: '3',
        SUBSCRIPTIONS_MAX: '4',
        EVENT_RETENTION_DAYS: '5',
        WEBHOOKS_PRIVATE: 'on',
      }),
    ).toEqual({
      ...REQUESTS,
      ...SPEED,
      sync: {
        ...{ isOn: false, callsPerSecond: 3, maxSubscriptions: 4, keepDays: 5 },
        webhooksPrivate: true,
      },
      usersAccessTtlMs: 60_000,
      host: '0.0.0.0',
      port: 8080,
      workers: 3,
      services: {
        usersUrl: 'http://127.0.0.1:1',
        paymentsUrl: 'https://pay.example/api',
        posUrl: 'http://[::1]:3',
      },
      usersAccess: ['a1', 'a2'],
      limits: { getMs: 3, writeMs: 4, maxBytes: 5000 },
      upstream: UPSTREAM,
      pageMax: 6,
      federation: true,
      deadlineMs: 7_000,
      drain: { delayMs: 11, maxMs: 12 },
      log: { level: 'off', operationNames: true },
      coalesce: { mode: 'upstream', epoch: 'credential' },
      fastPath: false,
      plans: { isEnabled: false, count: 1_000 },
      operations: { port: 14, host: '0.0.0.0' },
      otlpEndpoint: 'http://collector:4318',
      money: {
        databaseUrl: 'postgresql://localhost/money',
        connections: 20,
        dataDir: '/data',
        guardedRepost: false,
        leaseMs: 8_000,
        retentionDays: 9,
        reconcileKey: 'key',
        maxProcessingMs: 10,
      },
    });
    expect(readGatewaySettings({ PORT: '', USERS_URL: ' ' })).toEqual(readGatewaySettings({}));
    expect(readGatewaySettings({ USERS_ACCESS: '*' }).usersAccess).toBe('*');
  });

  test.each([
    [{ PORT: 'abc' }, 'PORT must be an integer from 0 to 65535; it was "abc".'],
    [{ PORT: '65536' }, 'PORT must be an integer from 0 to 65535; it was "65536".'],
    [{ PORT: '-1' }, 'PORT must be an integer from 0 to 65535; it was "-1".'],
    [{ PORT: '1.5' }, 'PORT must be an integer from 0 to 65535; it was "1.5".'],
    [{ PORT: 'a\nb' }, 'PORT must be an integer from 0 to 65535; it was "a\\nb".'],
    [
      { UPSTREAM_GET_ATTEMPT_MS: '60001' },
      'UPSTREAM_GET_ATTEMPT_MS must be an integer from 1 to 60000; it was "60001".',
    ],
    [
      { UPSTREAM_WRITE_MS: '1e3' },
      'UPSTREAM_WRITE_MS must be an integer from 1 to 60000; it was "1e3".',
    ],
    [
      { UPSTREAM_MAX_BYTES: '1023' },
      'UPSTREAM_MAX_BYTES must be an integer from 1024 to 1073741824; it was "1023".',
    ],
    [
      { REQUEST_DEADLINE_MS: '2999' },
      'REQUEST_DEADLINE_MS must be an integer from 3000 to 300000; it was "2999".',
    ],
    [
      { DATABASE_URL: 'mysql://anna:secret@x' },
      'DATABASE_URL must be a URL that starts with postgresql:// or postgres://.',
    ],
    [{ MONEY_GUARDED_REPOST: 'yes' }, 'MONEY_GUARDED_REPOST must be "on" or "off"; it was "yes".'],
    [
      { MONEY_LEASE_MS: '999' },
      'MONEY_LEASE_MS must be an integer from 1000 to 3600000; it was "999".',
    ],
    [
      { MONEY_LEASE_MS: '19999' },
      'MONEY_LEASE_MS must be at least twice UPSTREAM_WRITE_MS; the values were 19999 and 10000.',
    ],
    [
      { UPSTREAM_WRITE_MS: '15001' },
      'MONEY_LEASE_MS must be at least twice UPSTREAM_WRITE_MS; the values were 30000 and 15001.',
    ],
    [
      { MONEY_KEY_RETENTION_DAYS: '0' },
      'MONEY_KEY_RETENTION_DAYS must be an integer from 1 to 3650; it was "0".',
    ],
    [
      { MONEY_RECONCILE_API_KEY: 'a b' },
      'MONEY_RECONCILE_API_KEY must be 1 to 200 printable ASCII characters without spaces.',
    ],
    [
      { UPSTREAM_MAX_PROCESSING_MS: '2147483648' },
      'UPSTREAM_MAX_PROCESSING_MS must be an integer from 0 to 2147483647; it was "2147483648".',
    ],
    [{ FEDERATION: 'yes' }, 'FEDERATION must be "subgraph" or unset; it was "yes".'],
    [
      { UPSTREAM_PAGE_MAX: '1001' },
      'UPSTREAM_PAGE_MAX must be an integer from 1 to 1000; it was "1001".',
    ],
    [{ ...URLS, POS_URL: 'ftp://x' }, invalidUrl('POS_URL', 2225)],
    [{ ...URLS, POS_URL: 'nonsense' }, invalidUrl('POS_URL', 2225)],
    [{ ...URLS, USERS_URL: 'http://me:pw@x' }, invalidUrl('USERS_URL', 2223)],
    [{ ...URLS, PAYMENTS_URL: 'http://x/?a=1' }, invalidUrl('PAYMENTS_URL', 2224)],
    [{ ...URLS, PAYMENTS_URL: 'http://x/#a' }, invalidUrl('PAYMENTS_URL', 2224)],
    [{ AUTH: 'jwt' }, 'AUTH=jwt requires JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL or JWT_SECRET.'],
    [{ ...TOKENS, JWT_AUDIENCE: '' }, 'AUTH=jwt requires JWT_AUDIENCE.'],
    [
      { ...TOKENS, JWT_JWKS_URL: 'https://id.example/keys' },
      'Set JWT_JWKS_URL or JWT_SECRET, not both.',
    ],
    [
      { ...TOKENS, JWT_MERCHANTS_CLAIM: 'scope' },
      'JWT_SCOPES_CLAIM and JWT_MERCHANTS_CLAIM must name different claims; both are "scope".',
    ],
    [{ ...TOKENS, JWT_SECRET: 'short' }, 'JWT_SECRET must be a string of at least 32 characters.'],
    [{ ...TOKENS, ...URLS }, 'AUTH=jwt with PAYMENTS_URL requires PAYMENTS_API_KEY.'],
    [
      { JWT_ISSUER: 'https://id.example', JWT_SECRET: TOKENS.JWT_SECRET },
      'Without AUTH=jwt, the gateway accepts only app keys. Set AUTH=jwt, or remove JWT_SECRET, JWT_ISSUER.',
    ],
    [
      {
        JWT_CLOCK_TOLERANCE_MS: '5000',
        JWT_SCOPES_CLAIM: 'scp',
        JWT_MERCHANTS_CLAIM: 'merchants',
      },
      'Without AUTH=jwt, the gateway accepts only app keys. Set AUTH=jwt, or remove JWT_CLOCK_TOLERANCE_MS, JWT_SCOPES_CLAIM.',
    ],
    ...['http://id.example/keys', 'https://me:pw@id.example/keys', 'keys'].map(
      (url): [Record<string, string>, string] => [
        { JWT_JWKS_URL: url },
        'JWT_JWKS_URL must be an https URL such as https://issuer.example/jwks.json, or an http URL on localhost.',
      ],
    ),
    [{ AUTH: 'none' }, 'AUTH must be "key" or "jwt"; it was "none".'],
  ])('rejects %j by name', (env, complaint) => {
    expect(complaintsOf(readGatewaySettings, env)).toEqual([complaint]);
  });

  test('reads how tokens are verified', () => {
    const env = {
      ...TOKENS,
      JWT_CLOCK_TOLERANCE_MS: '5000',
      JWT_SCOPES_CLAIM: 'scp',
      JWT_MERCHANTS_CLAIM: 'shops',
      PAYMENTS_API_KEY: 'own',
    };
    expect(readGatewaySettings(env).auth).toEqual({
      mode: 'jwt',
      issuer: 'https://id.example',
      audience: 'tillgraph',
      secret: TOKENS.JWT_SECRET,
      clockToleranceMs: 5_000,
      scopesClaim: 'scp',
      merchantsClaim: 'shops',
      paymentsKey: 'own',
    });
    const { JWT_SECRET, ...others } = TOKENS;
    const { auth } = readGatewaySettings({
      ...others,
      JWT_JWKS_URL: 'https://id.example/keys?v=1',
    });
    expect(auth.jwksUrl).toBe('https://id.example/keys?v=1');
  });

  test('takes a lease of exactly twice a write', () => {
    const env = { MONEY_LEASE_MS: '2000', UPSTREAM_WRITE_MS: '1000' };
    expect(readGatewaySettings(env)).toMatchObject({
      limits: { writeMs: 1_000 },
      money: { leaseMs: 2_000 },
    });
  });

  test('takes the URLs of all services or none', () => {
    const together =
      'Set USERS_URL, PAYMENTS_URL and POS_URL together. If none of them are set, the sandbox starts.';
    expect(complaintsOf(readGatewaySettings, { USERS_URL: URLS.USERS_URL, POS_URL: ' ' })).toEqual([
      `PAYMENTS_URL is not set. ${together}`,
      `POS_URL is not set. ${together}`,
    ]);
  });

  test('reports everything at once, but no rule that an invalid setting may break', () => {
    expect(
      complaintsOf(readGatewaySettings, {
        PORT: 'x',
        USERS_URL: 'x',
        DATABASE_URL: 'x',
        MONEY_LEASE_MS: '1000',
      }),
    ).toEqual([
      'PORT must be an integer from 0 to 65535; it was "x".',
      invalidUrl('USERS_URL', 2223),
      expect.stringMatching(/^PAYMENTS_URL is not set/),
      expect.stringMatching(/^POS_URL is not set/),
      expect.stringMatching(/^DATABASE_URL must be a URL/),
      expect.stringMatching(/^MONEY_LEASE_MS must be at least twice/),
    ]);
    expect(
      complaintsOf(readGatewaySettings, { MONEY_LEASE_MS: '1000', UPSTREAM_WRITE_MS: 'x' }),
    ).toEqual(['UPSTREAM_WRITE_MS must be an integer from 1 to 60000; it was "x".']);
  });
});

describe('the sandbox', () => {
  test('has a default for everything, and takes each setting', () => {
    expect(readSandboxSettings({})).toEqual({
      usersPort: 2223,
      paymentsPort: 2224,
      posPort: 2225,
      host: '127.0.0.1',
      usersHost: '127.0.0.1',
      controlHost: '127.0.0.1',
      seed: 'demo',
      logRequests: false,
      dataDir: '.data',
    });
    expect(
      readSandboxSettings({
        SANDBOX_USERS_PORT: '0',
        SANDBOX_PAYMENTS_PORT: '0',
        SANDBOX_POS_PORT: '7',
        SANDBOX_CONTROL_PORT: 'off',
        SANDBOX_HOST: '0.0.0.0',
        SANDBOX_USERS_HOST: '::1',
        SANDBOX_CONTROL_HOST: '10.0.0.1',
        SANDBOX_SEED: 'empty',
        LOG: 'requests',
        SANDBOX_DEMO_KEY: 'demo',
        SANDBOX_DATABASE_URL: 'postgresql://localhost/x',
        SMTP_URL: 'smtps://mail.example:465',
        DATA_DIR: '/data',
      }),
    ).toEqual({
      usersPort: 0,
      paymentsPort: 0,
      posPort: 7,
      controlPort: 'off',
      host: '0.0.0.0',
      usersHost: '::1',
      controlHost: '10.0.0.1',
      seed: 'empty',
      logRequests: true,
      demoKey: 'demo',
      databaseUrl: 'postgresql://localhost/x',
      smtpUrl: 'smtps://mail.example:465',
      dataDir: '/data',
    });
  });

  test.each([
    [
      { SANDBOX_USERS_PORT: '70000' },
      'SANDBOX_USERS_PORT must be an integer from 0 to 65535; it was "70000".',
    ],
    [
      { SANDBOX_PAYMENTS_PORT: 'x' },
      'SANDBOX_PAYMENTS_PORT must be an integer from 0 to 65535; it was "x".',
    ],
    [
      { SANDBOX_POS_PORT: '-1' },
      'SANDBOX_POS_PORT must be an integer from 0 to 65535; it was "-1".',
    ],
    [
      { SANDBOX_CONTROL_PORT: 'on' },
      'SANDBOX_CONTROL_PORT must be an integer from 0 to 65535, or "off"; it was "on".',
    ],
    [
      { SANDBOX_CONTROL_PORT: '2223' },
      'SANDBOX_USERS_PORT and SANDBOX_CONTROL_PORT must differ; both were 2223.',
    ],
    [
      { SANDBOX_POS_PORT: '2224' },
      'SANDBOX_PAYMENTS_PORT and SANDBOX_POS_PORT must differ; both were 2224.',
    ],
    [
      { SANDBOX_USERS_PORT: '2225' },
      'SANDBOX_USERS_PORT and SANDBOX_POS_PORT must differ; both were 2225.',
    ],
    [
      { SANDBOX_USERS_PORT: '2224' },
      'SANDBOX_USERS_PORT and SANDBOX_PAYMENTS_PORT must differ; both were 2224.',
    ],
    [
      { SANDBOX_DEMO_KEY: 'two words' },
      'SANDBOX_DEMO_KEY must be 1 to 200 printable ASCII characters without spaces.',
    ],
    [
      { SANDBOX_DATABASE_URL: 'mysql://x' },
      'SANDBOX_DATABASE_URL must be a URL that starts with postgresql:// or postgres://.',
    ],
    [
      { SMTP_URL: 'http://mail.example' },
      'SMTP_URL must be a URL that starts with smtp:// or smtps://.',
    ],
  ])('rejects %j by name', (env, complaint) => {
    expect(complaintsOf(readSandboxSettings, env)).toEqual([complaint]);
  });

  test('compares the ports that are valid', () => {
    expect(
      complaintsOf(readSandboxSettings, { SANDBOX_USERS_PORT: 'x', SANDBOX_POS_PORT: '2224' }),
    ).toEqual([
      'SANDBOX_USERS_PORT must be an integer from 0 to 65535; it was "x".',
      'SANDBOX_PAYMENTS_PORT and SANDBOX_POS_PORT must differ; both were 2224.',
    ]);
  });
});
