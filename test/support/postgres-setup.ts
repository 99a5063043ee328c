import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the PostgreSQL that the tests of this project use; unset: PGlite. */
    readonly postgresUrl?: string;
  }
}

/** Gives a whole project of tests one PostgreSQL; every file makes its own database on it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
