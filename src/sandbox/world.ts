import { randomInt, randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../database/database.ts';
import { type Clock, systemClock } from './clock.ts';

/** What every operation of the sandbox works with; tests and the seed replace its parts. */
export interface World {
  readonly database: Database;
  readonly clock: Clock;
  /** From 0 up to, not including, `below`. */
  readonly random: (below: number) => number;
  /** A UUID v4: keys, and the ids of user records. */
  readonly uuid: () => string;
  /** How long a dispute waits for its outcome. */
  readonly disputeDelayMs: number;
}

/** The world as it is outside of tests. */
export function createWorld(database: Database, parts: Partial<World> = {}): World {
  return {
    database,
    clock: systemClock,
    random: (below) => randomInt(below),
    uuid: randomUUID,
    disputeDelayMs: 2_000,
    ...parts,
  };
}

/**
 * The next id: 24 hex digits, seconds first, larger than every id before it, also
 * when the clock stands still or runs back. The database keeps the last one, so
 * several sandboxes on one PostgreSQL share a single sequence.
 */
export async function nextId(world: World, tx: Queryable): Promise<string> {
  const seconds = Math.floor(world.clock().getTime() / 1000);
  const [row] = await tx.query<{ id: string }>('SELECT next_record_id($1, $2) AS id', [
    seconds,
    world.random(2 ** 31 - 1) + 1,
  ]);
  return (row as { id: string }).id;
}
