import type { Clock } from '../../../src/gateway/money/engine/clock.ts';
import { createRunner, type Runner } from '../../../src/gateway/money/runner.ts';
import type { OperationStore } from '../../../src/gateway/money/store/operation-store.ts';
import { type Conditions, during } from './conditions.ts';
import type { Random } from './random.ts';
import type { SimulatedService } from './simulated-service.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What all processes of one run share. */
export interface Environment {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly conditions: Conditions;
  readonly service: SimulatedService;
  readonly store: OperationStore;
  /** Makes the id of an operation, the same ones in each run with a seed. */
  readonly newId: () => string;
}

/** Performs one step of a process: it may be slow, fail, or be the last one. */
export type Step = <T>(work: () => Promise<T>, mayFail: boolean) => Promise<T>;

/** A gateway process. After it has died, nothing that it waits for returns. */
export interface SimulatedProcess {
  readonly isAlive: () => boolean;
  readonly clock: Clock;
  readonly runner: Runner;
  /** The shared store, as this process reaches it. */
  readonly store: OperationStore;
  readonly step: Step;
}

const HOUR_MS = 3_600_000;
const NEVER_DAYS = 36_500;
/** A new promise each time: one that is shared would keep everything that ever waits for it. */
const never = () => new Promise<never>(() => {});

/** Starts a process over the shared store. */
export function startProcess(environment: Environment): SimulatedProcess {
  const { time, conditions, newId } = environment;
  const { step, isAlive, awake } = createSteps(environment);
  const sleep = async (ms: number) => {
    await time.sleep(ms);
    await awake();
  };
  const startLimit: Clock['startLimit'] = (ms, onPassed) => {
    let isOver = false;
    const end = time.startLimit(ms, () => void awake().then(() => isOver || onPassed()));
    return () => {
      isOver = true;
      end();
    };
  };
  const clock: Clock = { now: createJumpingClock(environment), sleep, startLimit };
  // The bound covers everything that may delay a POST, also the suspension of a process.
  const settings = {
    guardedRepost: true,
    postMs: 10_000,
    maxProcessingMs: conditions.isBounded ? 40_000 : undefined,
  };
  const store = inSteps(environment.store, (work) =>
    step(() => outsideSilence(environment, work), true),
  );
  void store.sweep({ retentionDays: NEVER_DAYS, ownMs: 0 }).catch(() => {});
  const runner = createRunner({ store, clock, settings, newId, report: () => {} });
  return { isAlive, step, clock, runner, store };
}

/** The clock of a process, which sometimes jumps forward or back by an hour. Sleeps keep their length. */
function createJumpingClock({ time, random, conditions }: Environment): () => number {
  let skew = 0;
  return () => {
    if (conditions.share === 0) return time.now();
    if (random.chance(0.02)) skew = random.pick([-HOUR_MS, 0, HOUR_MS]);
    return time.now() + skew;
  };
}

/** A store that is silent responds when it is over; what was asked may be done before or after. */
async function outsideSilence<T>(
  { time, random, conditions }: Environment,
  work: () => Promise<T>,
): Promise<T> {
  const silence = during(conditions.silences, time.now());
  if (silence === undefined) return work();
  const isDoneBefore = random.chance(0.5);
  const done = isDoneBefore ? work() : undefined;
  await time.sleep(silence.until - time.now());
  return done ?? work();
}

const troubles = [
  'dies before',
  'dies after',
  'is slow',
  'is suspended',
  'fails before',
  'fails after',
] as const;

function createSteps({ time, random, conditions }: Environment) {
  let alive = true;
  let suspendedUntil = 0;
  let suspensions = 2;
  /** Resolves while the process runs: never if it has died, late if it is suspended. */
  async function awake(): Promise<void> {
    while (suspendedUntil > time.now()) await time.sleep(suspendedUntil - time.now());
    if (!alive) await never();
  }
  function suspend(): void {
    if (suspensions-- <= 0) return;
    suspendedUntil = time.now() + random.integer(1_000, conditions.longestStallMs);
  }
  const step: Step = async (work, mayFail) => {
    await awake();
    const trouble = random.chance(conditions.share / 4) ? random.pick(troubles) : 'none';
    if (trouble === 'none') {
      const result = await work();
      await awake();
      return result;
    }
    if (trouble === 'dies before') alive = false;
    if (trouble === 'is slow') await time.sleep(random.integer(0, conditions.longestPauseMs));
    await awake();
    if (trouble === 'fails before' && mayFail) throw new Error('store lost');
    if (trouble === 'is suspended') void time.sleep(random.integer(0, 50)).then(suspend);
    const result = await work();
    if (trouble === 'dies after') alive = false;
    await awake();
    if (trouble === 'fails after' && mayFail) throw new Error('store lost');
    return result;
  };
  return { isAlive: () => alive, step, awake };
}

/** A store every method of which is one step of a process. */
function inSteps(
  store: OperationStore,
  step: <T>(work: () => Promise<T>) => Promise<T>,
): OperationStore {
  return {
    find: (...args) => step(() => store.find(...args)),
    claim: (...args) => step(() => store.claim(...args)),
    retake: (...args) => step(() => store.retake(...args)),
    startSending: (...args) => step(() => store.startSending(...args)),
    repost: (...args) => step(() => store.repost(...args)),
    record: (...args) => step(() => store.record(...args)),
    knownEntries: (...args) => step(() => store.knownEntries(...args)),
    listSucceeded: (...args) => step(() => store.listSucceeded(...args)),
    markReturned: (...args) => step(() => store.markReturned(...args)),
    sweep: (...args) => step(() => store.sweep(...args)),
    listUnknown: (...args) => step(() => store.listUnknown(...args)),
    list: (...args) => step(() => store.list(...args)),
    listOfMerchant: (...args) => step(() => store.listOfMerchant(...args)),
    history: (...args) => step(() => store.history(...args)),
    settle: (...args) => step(() => store.settle(...args)),
    close: () => store.close(),
  };
}
