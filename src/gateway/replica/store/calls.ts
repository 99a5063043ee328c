import type { Database } from '../../../database/database.ts';

/** The calls that all gateways on a database share, and its clock. */
export function createCalls(database: Database) {
  return {
    /**
     * Reserves a call. Returns how long to wait for it, and the time by the database's clock.
     *
     * @param perSecond calls of all gateways together
     */
    reserveCall: async (perSecond: number) => {
      const [row] = await database.query<{ wait: number; now: string }>(
        `UPDATE replica_calls
         SET next_at = greatest(next_at, clock_timestamp() - interval '1 second')
           + $1::float8 * interval '1 second', calls = calls + 1
         RETURNING extract(epoch FROM next_at - clock_timestamp())::float8 * 1000 AS wait,
           clock_timestamp()::text AS now`,
        [1 / perSecond],
      );
      if (row === undefined) throw new Error('The table replica_calls is empty.');
      return { waitMs: Math.max(0, row.wait), now: row.now };
    },
    now: async () => {
      const [row] = await database.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
      return row?.now ?? '';
    },
  };
}
