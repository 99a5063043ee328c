/** Runs work of several owners, one piece at a time. */
export interface FairQueue {
  /** Runs the work when it is its owner's turn. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Creates a queue in which owners take turns; the work of one owner keeps its order. An
 * owner waits for at most one piece of work of each other owner, besides the one that runs.
 */
export function createFairQueue(): FairQueue {
  /** The owner whose turn is next comes first; one with nothing to do is not there. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  let busy = false;

  async function work(): Promise<void> {
    busy = true;
    for (const [owner, tasks] of waiting) {
      const task = tasks.shift();
      waiting.delete(owner);
      if (tasks.length > 0) waiting.set(owner, tasks);
      await task?.();
    }
    busy = false;
  }

  return {
    run: (owner, runWork) =>
      new Promise((resolve, reject) => {
        const tasks = waiting.get(owner) ?? [];
        tasks.push(async () => {
          try {
            resolve(await runWork());
          } catch (error) {
            reject(error);
          }
        });
        waiting.set(owner, tasks);
        if (!busy) void work();
      }),
  };
}
