import { describe, expect, test } from 'vitest';
import { readGatewayConfig } from '../../src/gateway/config.ts';
import { readSandboxConfig } from '../../src/sandbox/config.ts';

const URLS = {
  USERS_URL: 'http://127.0.0.1:1',
  PAYMENTS_URL: 'https://pay.example/api/',
  POS_URL: 'http://[::1]:3',
};

/** What a reader of settings complains about; empty when it accepts. */
function complaintsOf(
  read: (env: NodeJS.ProcessEnv) => unknown,
  env: NodeJS.ProcessEnv,
): readonly string[] {
  try {
    read(env);
    return [];
  } catch (error) {
    return (error as { complaints: readonly string[] }).complaints;
  }
}

describe('the gateway', () => {
  test('has a default for everything', () => {
    expect(readGatewayConfig({})).toEqual({
      host: '127.0.0.1',
      port: 4000,
      usersAccess: [],
      usersAccessTtlMs: 60_000,
      limits: { connectMs: 1_000, getMs: 2_500, writeMs: 10_000, maxBytes: 2_097_152 },
      pageMax: 100,
      federation: false,
      deadlineMs: 15_000,
      money: { dataDir: '.data', guardedRepost: true, leaseMs: 30_000, retentionDays: 35 },
    });
  });

  test('takes each setting, and empty text for none', () => {
    expect(
      readGatewayConfig({
        ...URLS,
        HOST: '0.0.0.0',
        PORT: ' 8080 ',
        USERS_ACCESS: 'a1, a2,',
        USERS_ACCESS_TTL_MS: '1',
        UPSTREAM_CONNECT_MS: '2',
        UPSTREAM_GET_ATTEMPT_MS: '3',
        UPSTREAM_WRITE_MS: '4',
        UPSTREAM_MAX_BYTES: '5000',
        UPSTREAM_PAGE_MAX: '6',
        FEDERATION: 'subgraph',
        REQUEST_DEADLINE_MS: '7000',
        DATABASE_URL: 'postgresql://localhost/money',
        DATA_DIR: '/data',
        MONEY_GUARDED_REPOST: 'off',
        MONEY_LEASE_MS: '8000',
        MONEY_KEY_RETENTION_DAYS: '9',
        MONEY_RECONCILE_API_KEY: 'key',
        UPSTREAM_MAX_PROCESSING_MS: '10',
      }),
    ).toEqual({
      host: '0.0.0.0',
      port: 8080,
      services: {
        usersUrl: 'http://127.0.0.1:1',
        paymentsUrl: 'https://pay.example/api',
        posUrl: 'http://[::1]:3',
      },
      usersAccess: ['a1', 'a2'],
      usersAccessTtlMs: 1,
      limits: { connectMs: 2, getMs: 3, writeMs: 4, maxBytes: 5000 },
      pageMax: 6,
      federation: true,
      deadlineMs: 7_000,
      money: {
        databaseUrl: 'postgresql://localhost/money',
        dataDir: '/data',
        guardedRepost: false,
        leaseMs: 8_000,
        retentionDays: 9,
        reconcileKey: 'key',
        maxProcessingMs: 10,
      },
    });
    expect(readGatewayConfig({ PORT: '', USERS_URL: ' ' })).toEqual(readGatewayConfig({}));
    expect(readGatewayConfig({ USERS_ACCESS: '*' }).usersAccess).toBe('*');
  });

  test.each([
    [{ PORT: 'abc' }, 'PORT takes a whole number from 0 to 65535, not "abc".'],
    [{ PORT: '65536' }, 'PORT takes'],
    [{ PORT: '-1' }, 'PORT takes'],
    [{ PORT: '1.5' }, 'PORT takes'],
    [{ USERS_ACCESS_TTL_MS: 'x' }, 'USERS_ACCESS_TTL_MS takes'],
    [{ UPSTREAM_CONNECT_MS: '0' }, 'UPSTREAM_CONNECT_MS takes'],
    [{ UPSTREAM_GET_ATTEMPT_MS: '0' }, 'UPSTREAM_GET_ATTEMPT_MS takes'],
    [{ UPSTREAM_WRITE_MS: '1e3' }, 'UPSTREAM_WRITE_MS takes'],
    [{ UPSTREAM_MAX_BYTES: '1' }, 'UPSTREAM_MAX_BYTES takes'],
    [{ REQUEST_DEADLINE_MS: '2999' }, 'REQUEST_DEADLINE_MS takes'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL takes the address of a PostgreSQL'],
    [{ MONEY_GUARDED_REPOST: 'yes' }, 'MONEY_GUARDED_REPOST takes "on" or "off"'],
    [{ MONEY_LEASE_MS: '999' }, 'MONEY_LEASE_MS takes'],
    [{ MONEY_LEASE_MS: '19999' }, 'MONEY_LEASE_MS must be at least twice UPSTREAM_WRITE_MS'],
    [{ MONEY_KEY_RETENTION_DAYS: '0' }, 'MONEY_KEY_RETENTION_DAYS takes'],
    [{ MONEY_RECONCILE_API_KEY: 'a b' }, 'MONEY_RECONCILE_API_KEY takes 1 to 200'],
    [{ UPSTREAM_MAX_PROCESSING_MS: 'x' }, 'UPSTREAM_MAX_PROCESSING_MS takes'],
    [{ FEDERATION: 'yes' }, 'FEDERATION takes "subgraph" or nothing'],
    [{ UPSTREAM_PAGE_MAX: '1001' }, 'UPSTREAM_PAGE_MAX takes'],
    [
      { USERS_URL: URLS.USERS_URL },
      'PAYMENTS_URL and POS_URL missing: give USERS_URL, PAYMENTS_URL, POS_URL together',
    ],
    [{ ...URLS, POS_URL: 'ftp://x' }, 'POS_URL takes an http or https address'],
    [{ ...URLS, POS_URL: 'nonsense' }, 'POS_URL takes'],
    [{ ...URLS, USERS_URL: 'http://me:pw@x' }, 'USERS_URL takes'],
    [{ ...URLS, PAYMENTS_URL: 'http://x/?a=1' }, 'PAYMENTS_URL takes'],
    [{ ...URLS, PAYMENTS_URL: 'http://x/#a' }, 'PAYMENTS_URL takes'],
  ])('refuses %j by name', (env, complaint) => {
    expect(complaintsOf(readGatewayConfig, env)).toEqual([expect.stringContaining(complaint)]);
  });
});

describe('the sandbox', () => {
  test('has a default for everything, and takes each setting', () => {
    expect(readSandboxConfig({})).toEqual({
      usersPort: 2223,
      paymentsPort: 2224,
      posPort: 2225,
      dataDir: '.data',
    });
    expect(
      readSandboxConfig({
        SANDBOX_USERS_PORT: '0',
        SANDBOX_PAYMENTS_PORT: '0',
        SANDBOX_POS_PORT: '7',
        SANDBOX_DEMO_KEY: 'demo',
        SANDBOX_DATABASE_URL: 'postgresql://localhost/x',
        SMTP_URL: 'smtps://mail.example:465',
        DATA_DIR: '/data',
      }),
    ).toEqual({
      usersPort: 0,
      paymentsPort: 0,
      posPort: 7,
      demoKey: 'demo',
      databaseUrl: 'postgresql://localhost/x',
      smtpUrl: 'smtps://mail.example:465',
      dataDir: '/data',
    });
  });

  test.each([
    [{ SANDBOX_USERS_PORT: '70000' }, 'SANDBOX_USERS_PORT takes a port'],
    [{ SANDBOX_PAYMENTS_PORT: 'x' }, 'SANDBOX_PAYMENTS_PORT takes a port'],
    [{ SANDBOX_POS_PORT: '-1' }, 'SANDBOX_POS_PORT takes a port'],
    [{ SANDBOX_POS_PORT: '2224' }, 'must differ'],
    [{ SANDBOX_DEMO_KEY: 'two words' }, 'SANDBOX_DEMO_KEY takes'],
    [{ SANDBOX_DATABASE_URL: 'mysql://x' }, 'SANDBOX_DATABASE_URL takes'],
    [{ SMTP_URL: 'http://mail.example' }, 'SMTP_URL takes'],
  ])('refuses %j by name', (env, complaint) => {
    expect(complaintsOf(readSandboxConfig, env)).toEqual([expect.stringContaining(complaint)]);
  });
});
