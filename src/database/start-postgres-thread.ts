import { Worker } from 'node:worker_threads';
import { programFile } from '../package-files.ts';
import type { Queryable } from './database.ts';
import type { ThreadOptions, ThreadReply, ThreadRequest } from './postgres-thread.ts';

/** PostgreSQL in a thread. It executes one statement after another. */
export interface PostgresThread extends Queryable {
  /** Stops PostgreSQL, which writes to its folder, then ends the thread. */
  stop(): Promise<void>;
  /** Ends the thread without writing. */
  abandon(): Promise<void>;
}

/** Starts PostgreSQL in a thread. */
export async function startPostgresThread(options: ThreadOptions): Promise<PostgresThread> {
  const thread = new Worker(new URL(programFile('database/postgres-thread')), {
    workerData: options,
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  });
  /** In the order of the replies. The first is that PostgreSQL has started. */
  const waiting: PromiseWithResolvers<unknown[]>[] = [];
  let failure: Error | undefined;

  function waitForReply(): Promise<unknown[]> {
    // An idle database does not keep the process running.
    thread.ref();
    const reply = Promise.withResolvers<unknown[]>();
    waiting.push(reply);
    return reply.promise;
  }

  function end(error: Error): void {
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(failure);
  }

  async function send(request: ThreadRequest): Promise<unknown[]> {
    if (failure !== undefined) throw failure;
    thread.postMessage(request);
    return waitForReply();
  }

  thread.on('message', (reply: ThreadReply) => {
    const next = waiting.shift();
    if (waiting.length === 0) thread.unref();
    if ('rows' in reply) next?.resolve(reply.rows);
    else next?.reject(Object.assign(new Error(reply.message), reply.properties));
  });
  thread.on('error', end);
  thread.on('exit', () => end(new Error('The embedded database has stopped.')));
  await waitForReply();
  return {
    // The caller names the columns of its statement.
    query: async <Row>(sql: string, values: readonly unknown[] = []) =>
      (await send({ sql, values: [...values] })) as Row[],
    stop: async () => {
      await send(undefined);
      await thread.terminate();
    },
    abandon: async () => {
      await thread.terminate();
    },
  };
}
