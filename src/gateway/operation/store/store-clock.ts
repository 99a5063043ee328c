import type { Queryable } from '../../../database/database.ts';

interface Advanced {
  /** Milliseconds that have certainly passed since the store was created. */
  readonly elapsed: number;
  /** Milliseconds by which the database's clock was set forward or back; 0 if it was not. */
  readonly clockJumpMs: number;
}

/** A difference of the two clocks up to this is not reported. */
const TOLERANCE_MS = 60_000;

/**
 * Advances the store's clock by the smaller of what the database's clock and the caller's
 * monotonic clock say has passed since the last sweep. With several gateways, each sweep adds
 * only the time since the sweep of any of them.
 */
export async function advanceClock(tx: Queryable, ownMs: number): Promise<Advanced> {
  const [row] = await tx.query<{ elapsed: number; delta: number }>(
    `SELECT elapsed, (EXTRACT(EPOCH FROM now() - swept_at) * 1000)::float8 AS delta
     FROM store_clock FOR UPDATE`,
  );
  if (row === undefined) throw new Error('The store has no clock.');
  const elapsed = row.elapsed + Math.round(Math.max(0, Math.min(ownMs, row.delta)));
  await tx.query('UPDATE store_clock SET elapsed = $1, swept_at = now()', [elapsed]);
  const isBack = row.delta < -TOLERANCE_MS;
  // The database's clock cannot be compared with that of a process that has just started.
  const isForward = ownMs > 0 && row.delta - ownMs > TOLERANCE_MS;
  return { elapsed, clockJumpMs: isBack || isForward ? Math.round(row.delta - ownMs) : 0 };
}
