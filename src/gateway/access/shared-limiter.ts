import pg from 'pg';
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';

/** A limit that all gateways on one database count together. */
export interface SharedLimiter {
  readonly limiter: RateLimiterPostgres;
  /** Counts while the database does not respond. */
  readonly insurance: RateLimiterMemory;
  close(): Promise<void>;
}

/** How long a request waits for a connection, and then for the database. */
const PATIENCE_MS = 500;
/** How long the process counts alone after the database did not respond. */
const ALONE_MS = 5_000;
const CONNECTIONS = 2;

interface Statement {
  readonly text: string;
  readonly values?: unknown[];
}

/**
 * Opens a limit with its own connections, so that it neither takes those of money operations nor
 * waits for them.
 */
export function openSharedLimiter(
  url: string,
  perMinute: number,
  report: (message: string) => void,
): SharedLimiter {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max: CONNECTIONS,
    keepAlive: true,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  // The pool replaces broken connections.
  pool.on('error', () => {});
  let aloneUntil = 0;

  /** Omits the library's statement names, which some poolers do not support. */
  async function query({ text, values }: Statement): Promise<pg.QueryResult> {
    if (pool.ending || performance.now() < aloneUntil) throw new Error('Each counts alone.');
    try {
      const result = await pool.query(text, values);
      aloneUntil = 0;
      return result;
    } catch (error) {
      if (aloneUntil === 0) {
        report(
          'RATE_LIMIT_PER_MINUTE: the database does not respond, so each gateway counts alone',
        );
      }
      aloneUntil = performance.now() + ALONE_MS;
      throw error;
    }
  }

  const limits = { points: perMinute, duration: 60 };
  const insurance = new RateLimiterMemory(limits);
  const limiter = new RateLimiterPostgres({
    ...limits,
    storeClient: { query },
    storeType: 'client',
    tableName: 'rate_count',
    // A migration of the store creates it.
    tableCreated: true,
    keyPrefix: '',
    insuranceLimiter: insurance,
  });
  return { limiter, insurance, close: () => pool.end() };
}
