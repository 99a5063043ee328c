import { randomInt, randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../database/database.ts';

/** The only source of the current time: for dates, ids, card expiry and dispute outcomes. */
export type Clock = () => Date;

/** Returns the time of the machine. */
export const systemClock: Clock = () => new Date();

/** The dependencies of every operation of the sandbox. Tests and the seed replace parts of it. */
export interface Environment {
  readonly database: Database;
  readonly clock: Clock;
  /** Returns a random integer from 0 to `below` - 1. */
  readonly random: (below: number) => number;
  /** Returns a new UUID v4, used for keys and for the ids of user records. */
  readonly uuid: () => string;
  /** Time between the capture that opens a dispute and the dispute's outcome. */
  readonly disputeDelayMs: number;
  /** Returns a new record id from the time in seconds and a random number. */
  readonly newId: (tx: Queryable, seconds: number, rest: number) => Promise<string>;
}

/** Creates the environment that the sandbox uses outside of tests; `parts` replaces some of it. */
export function createEnvironment(
  database: Database,
  parts: Partial<Environment> = {},
): Environment {
  return {
    database,
    clock: systemClock,
    random: (below) => randomInt(below),
    uuid: randomUUID,
    disputeDelayMs: 2_000,
    newId: idFromDatabase,
    ...parts,
  };
}

/** The last second that fits in four bytes, minus some room for ids above the latest one. */
const MOST_SECONDS = 0xffff_fff0;

/**
 * Returns the next record id: 24 hexadecimal digits that start with the seconds of the clock.
 * Each id is larger than every earlier id, even if the clock stops or is set back.
 */
export function nextId(environment: Environment, tx: Queryable): Promise<string> {
  const seconds = Math.min(Math.floor(environment.clock().getTime() / 1000), MOST_SECONDS);
  return environment.newId(tx, seconds, environment.random(2 ** 31 - 1) + 1);
}

/** The database stores the last id, so several sandboxes on one PostgreSQL share one sequence. */
async function idFromDatabase(tx: Queryable, seconds: number, rest: number): Promise<string> {
  const rows = await tx.query<{ id: string }>('SELECT next_record_id($1, $2) AS id', [
    seconds,
    rest,
  ]);
  return singleRow(rows).id;
}

/** Returns the row of a statement that always returns exactly one. Throws for any other number. */
export function singleRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) {
    throw new Error(`Expected one row, but the statement returned ${rows.length}`);
  }
  return row;
}
