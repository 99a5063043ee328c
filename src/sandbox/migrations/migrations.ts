import { records } from './001-records.ts';

/** Every migration in order, each a list of statements. Append only: a released one never changes. */
export const migrations: readonly (readonly string[])[] = [records];
