import { setTimeout as elapse } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Database, Queryable } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { replicaProgram } from '../../src/gateway/replica/store/open-replica-store.ts';
import type { Running } from '../support/process.ts';
import type { Settings } from '../support/program.ts';
import { preparedDataDir, preparedPostgres } from '../support/storage.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

/** Where a gateway keeps its data that is killed again and again. */
export interface KillStorage {
  /** The settings of the gateway. */
  readonly settings: Settings;
  /** Kills a gateway at a point that is counted from now on. Resolves when it has ended. */
  kill(running: Running, point: number): Promise<void>;
  /**
   * As if the leases of a killed gateway had ended, and it was the turn of everything. No gateway
   * may run.
   */
  release(): Promise<void>;
  close(): Promise<void>;
}

async function releaseAll(database: Queryable): Promise<void> {
  await database.query(
    `UPDATE replica_merchant SET leased_until = '-infinity', polls = 0,
       next_at = CASE WHEN wanted_at = '-infinity' THEN next_at ELSE now() END`,
  );
  await database.query(`UPDATE replica_record SET due_at = '-infinity' WHERE due_at IS NOT NULL`);
  await database.query(`UPDATE webhook_delivery SET leased_until = '-infinity'`);
}

/**
 * PostgreSQL behind a proxy. Points are before and after each message of the gateway: at an even
 * one, the message is lost; at an odd one, it arrives, but nobody gets the response.
 */
export async function openPostgres(): Promise<KillStorage & { readonly database: Database }> {
  const databaseUrl = await preparedPostgres();
  const database = await openDatabase({ databaseUrl, connections: 1 }, replicaProgram);
  const url = new URL(databaseUrl);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  const busy = `SELECT query FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  return {
    database,
    settings: { DATABASE_URL: url.href },
    kill: async (running, point) => {
      let left = Math.floor(point / 2);
      proxy.onSent = ({ length }) => {
        left--;
        if (left >= 0) return length;
        void running.stop('SIGKILL');
        return left === -1 && point % 2 === 1 ? length : 0;
      };
      await running.ended;
      proxy.onSent = undefined;
    },
    release: async () => {
      // What was sent before the end can still be stored.
      await expect.poll(() => database.query(busy)).toEqual([]);
      await releaseAll(database);
    },
    close: async () => {
      await database.close();
      await proxy.close();
    },
  };
}

/** PGlite. The points are some milliseconds apart. */
export async function openPGlite(): Promise<KillStorage> {
  const dataDir = preparedDataDir();
  return {
    settings: { DATA_DIR: dataDir },
    kill: async (running, point) => {
      await elapse(8 * point);
      await running.stop('SIGKILL');
    },
    release: async () => {
      const database = await openDatabase({ dataDir }, replicaProgram);
      await releaseAll(database);
      await database.close();
    },
    close: async () => {},
  };
}
