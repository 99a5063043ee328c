import type { Database } from '../../database/database.ts';
import { createEmbedded, type Embedded } from '../../database/embedded.ts';

/** Where a sandbox for tests, and the gateway in front of it, store their data. */
export interface TestStorage {
  readonly embedded: Embedded;
  readonly schema: string;
  readonly gatewaySchema: string;
  /** Removes what only a test needs. */
  remove(): Promise<void>;
}

/** A separate database for each sandbox would take 300 MB and two seconds. */
const embedded = createEmbedded();
/** Opens and removes the schemas of sandboxes. */
const program = {
  name: 'shared',
  urlSetting: '',
  migrationTable: '',
  migrationLock: 0,
  migrations: [],
};

/**
 * How long the database stays open when all sandboxes are closed, because the next one often
 * follows soon. An open database keeps the process alive.
 */
const KEPT_OPEN_MS = 300;

let opened: Promise<Database> | undefined;
let closing: NodeJS.Timeout | undefined;
let users = 0;
let count = 0;

/** Takes schemas in the database that all sandboxes in memory of this process share. */
export async function takeSchema(): Promise<TestStorage> {
  const database = await enter();
  count++;
  const schema = `sandbox_${count}`;
  const gatewaySchema = `gateway_${count}`;
  return {
    embedded,
    schema,
    gatewaySchema,
    remove: async () => {
      await database.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
      await database.query(`DROP SCHEMA IF EXISTS "${gatewaySchema}" CASCADE`);
      leave(database);
    },
  };
}

function enter(): Promise<Database> {
  users++;
  clearTimeout(closing);
  opened ??= embedded.open(program);
  return opened;
}

function leave(database: Database): void {
  users--;
  if (users > 0) return;
  closing = setTimeout(() => {
    opened = undefined;
    void database.close();
  }, KEPT_OPEN_MS);
}
