import type { UsersAccessRule } from './protect/users-access.ts';
import type { RestLimits } from './rest/rest-client.ts';

/** Addresses of the services behind the gateway. */
export interface ServiceUrls {
  readonly usersUrl: string;
  readonly paymentsUrl: string;
  /** The payment page, for links to it. */
  readonly posUrl: string;
}

/** How a gateway is started. */
export interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  /** Left out when no address was given. */
  readonly services?: ServiceUrls;
  readonly usersAccess: UsersAccessRule;
  readonly usersAccessTtlMs: number;
  readonly limits: RestLimits;
  /** Items asked of a service in one call; more comes in further calls. */
  readonly pageMax: number;
  /** Serve the graph as an Apollo Federation v2 subgraph. */
  readonly federation: boolean;
  /** How long a request may take, in milliseconds; what moves money goes on. */
  readonly deadlineMs: number;
  readonly money: MoneySettings;
}

/** How money operations are kept and settled. */
export interface MoneySettings {
  /** A PostgreSQL for the operations; gateways may share it. Goes before `dataDir`. */
  readonly databaseUrl?: string;
  readonly dataDir?: string;
  /** Whether a second POST may be sent where two cannot both apply. */
  readonly guardedRepost: boolean;
  /** How long the service may take to apply what it was sent; left out: for ever. */
  readonly maxProcessingMs?: number;
  /** How long a process may work on an operation before others take it for dead. */
  readonly leaseMs: number;
  /** How long an operation that has ended is remembered. */
  readonly retentionDays: number;
  /** Key of an app that may look at open operations when no caller does. */
  readonly reconcileKey?: string;
}

/** Names every setting that is wrong, and how to mend it. */
class GatewayConfigError extends Error {
  readonly complaints: readonly string[];

  constructor(complaints: readonly string[]) {
    super(complaints.join('\n'));
    this.complaints = complaints;
  }
}

const urlSettings = ['USERS_URL', 'PAYMENTS_URL', 'POS_URL'] as const;

/** Reads the gateway's settings; the only reader of the environment in the gateway. */
export function readGatewayConfig(env: NodeJS.ProcessEnv): GatewayConfig {
  const complaints: string[] = [];

  function text(name: string): string | undefined {
    return env[name]?.trim() || undefined;
  }

  function integer(name: string, fallback: number, least: number, most: number): number {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    complaints.push(`${name} takes a whole number from ${least} to ${most}, not "${value}".`);
    return fallback;
  }

  function address(name: (typeof urlSettings)[number]): string {
    const value = text(name) ?? '';
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const plain =
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      `${url.username}${url.password}${url.search}${url.hash}` === '';
    if (value !== '' && !plain) {
      complaints.push(
        `${name} takes an http or https address without user, query or fragment, such as http://127.0.0.1:2224.`,
      );
    }
    return value.replace(/\/+$/, '');
  }

  function onOrOff(name: string, fallback: boolean): boolean {
    const chosen = text(name);
    if (chosen !== undefined && chosen !== 'on' && chosen !== 'off') {
      complaints.push(`${name} takes "on" or "off", not "${chosen}".`);
    }
    return chosen === undefined ? fallback : chosen === 'on';
  }

  function readMoney(writeMs: number): MoneySettings {
    const databaseUrl = text('DATABASE_URL');
    if (databaseUrl !== undefined && !/^postgres(ql)?:\/\/./.test(databaseUrl)) {
      complaints.push('DATABASE_URL takes the address of a PostgreSQL: postgresql://…');
    }
    const reconcileKey = text('MONEY_RECONCILE_API_KEY');
    if (reconcileKey !== undefined && !/^[\x21-\x7e]{1,200}$/.test(reconcileKey)) {
      complaints.push(
        'MONEY_RECONCILE_API_KEY takes 1 to 200 printable characters without spaces.',
      );
    }
    const leaseMs = integer('MONEY_LEASE_MS', 30_000, 1_000, 3_600_000);
    if (leaseMs < 2 * writeMs) {
      complaints.push('MONEY_LEASE_MS must be at least twice UPSTREAM_WRITE_MS.');
    }
    const maximum = text('UPSTREAM_MAX_PROCESSING_MS');
    return {
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      dataDir: text('DATA_DIR') ?? '.data',
      guardedRepost: onOrOff('MONEY_GUARDED_REPOST', true),
      ...(maximum === undefined
        ? {}
        : { maxProcessingMs: integer('UPSTREAM_MAX_PROCESSING_MS', 0, 0, 2_147_483_647) }),
      leaseMs,
      retentionDays: integer('MONEY_KEY_RETENTION_DAYS', 35, 1, 3_650),
      ...(reconcileKey === undefined ? {} : { reconcileKey }),
    };
  }

  function choice(name: string, value: string): boolean {
    const chosen = text(name);
    if (chosen !== undefined && chosen !== value) {
      complaints.push(`${name} takes "${value}" or nothing, not "${chosen}".`);
    }
    return chosen === value;
  }

  const missing = urlSettings.filter((name) => text(name) === undefined);
  if (missing.length > 0 && missing.length < urlSettings.length) {
    complaints.push(
      `${missing.join(' and ')} missing: give ${urlSettings.join(', ')} together, or none of them for the sandbox.`,
    );
  }
  const services: ServiceUrls = {
    usersUrl: address('USERS_URL'),
    paymentsUrl: address('PAYMENTS_URL'),
    posUrl: address('POS_URL'),
  };
  const writeMs = integer('UPSTREAM_WRITE_MS', 10_000, 1, 60_000);
  const config: GatewayConfig = {
    host: text('HOST') ?? '127.0.0.1',
    port: integer('PORT', 4000, 0, 65_535),
    ...(missing.length === 0 ? { services } : {}),
    usersAccess: readUsersAccess(text('USERS_ACCESS')),
    usersAccessTtlMs: integer('USERS_ACCESS_TTL_MS', 60_000, 0, 3_600_000),
    limits: {
      connectMs: integer('UPSTREAM_CONNECT_MS', 1_000, 1, 60_000),
      getMs: integer('UPSTREAM_GET_ATTEMPT_MS', 2_500, 1, 60_000),
      writeMs,
      maxBytes: integer('UPSTREAM_MAX_BYTES', 2 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
    },
    pageMax: integer('UPSTREAM_PAGE_MAX', 100, 1, 1_000),
    federation: choice('FEDERATION', 'subgraph'),
    deadlineMs: integer('REQUEST_DEADLINE_MS', 15_000, 3_000, 300_000),
    money: readMoney(writeMs),
  };
  if (complaints.length > 0) throw new GatewayConfigError(complaints);
  return config;
}

function readUsersAccess(value: string | undefined): UsersAccessRule {
  if (value === '*') return '*';
  return (value ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}
