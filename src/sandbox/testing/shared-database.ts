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

/** A database of its own for each sandbox would take 300 MB and two seconds. */
const embedded = createEmbedded();
/** Keeps the database open when all sandboxes are closed, so that the next one starts fast. */
let opened: Promise<Database> | undefined;
let count = 0;

/** Takes schemas in the database that all sandboxes in memory of this process share. */
export async function takeSchema(): Promise<TestStorage> {
  opened ??= embedded.open({
    name: 'shared',
    urlSetting: '',
    migrationTable: '',
    migrationLock: 0,
    migrations: [],
  });
  const database = await opened;
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
    },
  };
}
