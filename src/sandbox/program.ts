import type { Program } from '../database/database.ts';
import { cardsAndOutbox, records } from './migrations/001-records.ts';
import { control } from './migrations/003-control.ts';

/** Every migration in order, each a list of statements. A released migration never changes. */
export const migrations: readonly (readonly string[])[] = [records, cardsAndOutbox, control];

/** Identifies the sandbox's data, so that the sandbox and the gateway can share a database. */
export const sandboxProgram: Program = {
  name: 'sandbox',
  urlSetting: 'SANDBOX_DATABASE_URL',
  migrationTable: 'sandbox_migration',
  migrationLock: 7_112_001,
  migrations,
};
