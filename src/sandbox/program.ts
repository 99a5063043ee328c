import type { Program } from '../database/database.ts';
import { migrations } from './migrations/migrations.ts';

/** Identifies the sandbox's data, so that the sandbox and the gateway can share a database. */
export const sandboxProgram: Program = {
  name: 'sandbox',
  urlSetting: 'SANDBOX_DATABASE_URL',
  migrationTable: 'sandbox_migration',
  migrationLock: 7_112_001,
  migrations,
};
