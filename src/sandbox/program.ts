import type { Program } from '../database/program.ts';
import { migrations } from './migrations/migrations.ts';

/** How the sandbox's data is told from the gateway's. */
export const sandboxProgram: Program = {
  name: 'sandbox',
  urlSetting: 'SANDBOX_DATABASE_URL',
  migrationTable: 'sandbox_migration',
  migrationLock: 7_112_001,
  migrations,
};
