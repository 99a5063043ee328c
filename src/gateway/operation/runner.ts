import type { Attempt, Verdict, Viewer } from './attempt.ts';
import { createExecution, type Parts } from './execution.ts';
import type { Operation } from './operation.ts';
import { limitStore, StoreUnavailableError } from './store/limit-store.ts';
import type { OperationStore } from './store/operation-store.ts';
import { createTurns } from './turns.ts';

/** Runs money operations: at most one POST each, except under the conservation guard. */
export interface Runner {
  /** `deadline`: until when the caller waits, by the runner's clock. What was sent goes on. */
  run<F>(attempt: Attempt<F>, deadline: number): Promise<Verdict<F>>;
  /**
   * An operation as it is known now; looked at again when its outcome is unknown. Throws a
   * {@link StoreUnavailableError}.
   */
  find(merchantId: string, key: string, viewer: Viewer): Promise<Operation | undefined>;
  /** Looks at every operation with an unknown outcome, without repeating any. */
  reconcile(viewer: Viewer): Promise<void>;
  /** Waits for what is being sent. */
  close(): Promise<void>;
}

/** Below this there is no time left to begin. */
const LEAST_MS = 2_000;
/** How long to wait for the same key, or for another operation on the transaction. */
const WAIT_MS = 2_000;
const POLL_MS = 100;
const RECONCILED_AT_ONCE = 100;

/** Makes a runner over a store. */
export function createRunner(parts: Parts): Runner {
  const { clock } = parts;
  const store: OperationStore = limitStore(parts.store, clock);
  const takeTurn = createTurns(clock);
  const { execute, resume, revisit } = createExecution({ ...parts, store });
  /** What this process is about, by operation. */
  const running = new Map<string, Promise<unknown>>();

  /** Lets work go on after its caller has stopped waiting. */
  async function follow<F>(
    operation: Operation,
    work: Promise<Verdict<F>>,
    deadline: number,
  ): Promise<Verdict<F>> {
    const { id } = operation;
    const all = Promise.allSettled([running.get(id), work]).then(() => {
      if (running.get(id) === all) running.delete(id);
    });
    running.set(id, all);
    const late = clock
      .sleep(deadline - clock.now())
      .then((): Verdict<F> => ({ kind: 'OPERATION', operation, replayed: false }));
    return Promise.race([work, late]);
  }

  async function pause({ id }: Operation, until: number): Promise<void> {
    const left = Math.max(0, until - clock.now());
    const here = running.get(id);
    await (here === undefined
      ? clock.sleep(Math.min(POLL_MS, left))
      : Promise.race([here, clock.sleep(left)]));
  }

  async function tryOnce<F>(
    attempt: Attempt<F>,
    deadline: number,
    patience: number,
  ): Promise<Verdict<F> | undefined> {
    const { intent, refusal } = attempt;
    const known = await store.find(intent.merchantId, intent.key);
    if (known === undefined) {
      if (refusal !== undefined) return { kind: 'REFUSED', refusal };
      if (deadline - clock.now() < LEAST_MS) return { kind: 'NOT_SENT' };
    }
    const claim = known ? { kind: 'KNOWN' as const, operation: known } : await store.claim(intent);
    const { operation } = claim;
    if (claim.kind === 'CLAIMED') {
      return follow(operation, execute(operation, attempt, deadline), deadline);
    }
    if (claim.kind === 'KNOWN' && operation.fingerprint !== intent.fingerprint) {
      return { kind: 'KEY_REUSED' };
    }
    if (isWorking(operation) && clock.now() < patience) {
      await pause(operation, patience);
      return undefined;
    }
    if (claim.kind === 'KNOWN') {
      if (operation.state !== 'UNKNOWN') return { kind: 'OPERATION', operation, replayed: true };
      const mayPost = deadline - clock.now() >= LEAST_MS;
      return follow(operation, resume(operation, attempt, deadline, mayPost), deadline);
    }
    // Somebody's unknown outcome may be known by now, and the way free.
    const other = await revisit(operation, attempt);
    return isFinal(other) ? undefined : { kind: 'BUSY', other };
  }

  return {
    run: async (attempt, deadline) => {
      const { lane } = attempt.intent;
      const patience = Math.min(deadline, clock.now() + WAIT_MS);
      const leave = lane === null ? undefined : await takeTurn(lane, patience);
      try {
        for (;;) {
          const verdict = await tryOnce(attempt, deadline, patience);
          if (verdict !== undefined) return verdict;
        }
      } catch (error) {
        if (error instanceof StoreUnavailableError) return { kind: 'STORE_UNAVAILABLE' };
        throw error;
      } finally {
        leave?.();
      }
    },
    find: async (merchantId, key, viewer) => {
      const operation = await store.find(merchantId, key);
      return operation && revisit(operation, viewer);
    },
    reconcile: async (viewer) => {
      let after: string | undefined;
      do {
        const some = await store.undecided(after, RECONCILED_AT_ONCE);
        for (const operation of some) await revisit(operation, viewer);
        after = some.at(-1)?.id;
      } while (after !== undefined);
    },
    close: async () => {
      await Promise.all(running.values());
    },
  };
}

function isWorking({ state }: Operation): boolean {
  return state === 'PREPARED' || state === 'SENDING';
}

function isFinal({ state }: Operation): boolean {
  return !(isWorking({ state } as Operation) || state === 'UNKNOWN');
}
