import pg from 'pg';

/**
 * The durable record of captures: a row is committed before the POST, which no second one with
 * its key passes, then what the transaction looked like, then the result.
 */
export interface CaptureStore {
  claim(key: string, transactionId: string, amount: number): Promise<void>;
  startSending(key: string, trail: readonly unknown[]): Promise<void>;
  succeed(key: string, trail: readonly unknown[]): Promise<void>;
}

/** As many as the gateway opens. */
const CONNECTIONS = 10;

/** Opens the store on a PostgreSQL server. */
export async function openCaptureStore(url: string): Promise<CaptureStore> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  await pool.query(
    `CREATE TABLE IF NOT EXISTS capture (key text PRIMARY KEY, transaction_id text NOT NULL,
      amount bigint NOT NULL, state text NOT NULL, snapshot jsonb, result jsonb,
      created timestamptz NOT NULL DEFAULT now(), changed timestamptz NOT NULL DEFAULT now())`,
  );
  return {
    claim: async (key, transactionId, amount) => {
      await pool.query(
        `INSERT INTO capture (key, transaction_id, amount, state) VALUES ($1, $2, $3, 'PREPARED')`,
        [key, transactionId, amount],
      );
    },
    startSending: async (key, trail) => {
      await pool.query(
        `UPDATE capture SET state = 'SENDING', snapshot = $2, changed = now() WHERE key = $1`,
        [key, JSON.stringify(trail)],
      );
    },
    succeed: async (key, trail) => {
      await pool.query(
        `UPDATE capture SET state = 'SUCCEEDED', result = $2, changed = now() WHERE key = $1`,
        [key, JSON.stringify(trail)],
      );
    },
  };
}
