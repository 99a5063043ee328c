import type { Clock } from '../../../src/gateway/operation/clock.ts';
import { createRunner, type Runner } from '../../../src/gateway/operation/runner.ts';
import type { OperationStore } from '../../../src/gateway/operation/store/operation-store.ts';
import type { Random } from './random.ts';
import type { Faults, SimulatedService } from './simulated-service.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What all processes of one run share. */
export interface Environment {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly service: SimulatedService;
  readonly store: OperationStore;
  /** Whether the service applies a POST within a known time, or never. */
  readonly isBounded: boolean;
}

/** Performs one step of a process: it may be slow, fail, or be the last one. */
export type Step = <T>(work: () => Promise<T>, mayFail: boolean) => Promise<T>;

/** A gateway process. After it has died, nothing that it waits for returns. */
export interface SimulatedProcess {
  readonly isAlive: () => boolean;
  readonly clock: Clock;
  readonly runner: Runner;
  readonly step: Step;
}

const HOUR_MS = 3_600_000;
const never = new Promise<never>(() => {});

/** A clock that sometimes jumps forward or back by an hour. Sleeps keep their length. */
export function createJumpingClock(time: VirtualTime, random: Random): Clock {
  let skew = 0;
  return {
    now: () => {
      if (random.chance(0.02)) skew = random.pick([-HOUR_MS, 0, HOUR_MS]);
      return time.now() + skew;
    },
    sleep: time.sleep,
    timeout: time.timeout,
  };
}

/** Starts a process over the shared store. */
export function startProcess(environment: Environment): SimulatedProcess {
  const { time, random, isBounded } = environment;
  const { step, isAlive } = createSteps(environment);
  const sleep = async (ms: number) => {
    await time.sleep(ms);
    if (!isAlive()) await never;
  };
  const clock: Clock = { now: createJumpingClock(time, random).now, sleep, timeout: sleep };
  // The bound covers everything that may delay a POST, also the suspension of a process.
  const settings = {
    guardedRepost: true,
    postMs: 10_000,
    maxProcessingMs: isBounded ? 40_000 : undefined,
  };
  const store = inSteps(environment.store, (work) => step(work, true));
  const runner = createRunner({ store, clock, settings, report: () => {} });
  return { isAlive, step, clock, runner };
}

const troubles = ['dies before', 'dies after', 'is slow', 'fails before', 'fails after'] as const;

function createSteps({
  time,
  random,
  faults,
}: Environment): Pick<SimulatedProcess, 'isAlive' | 'step'> {
  let alive = true;
  const whileAlive = async () => {
    if (!alive) await never;
  };
  return {
    isAlive: () => alive,
    step: async (work, mayFail) => {
      await whileAlive();
      const trouble = random.chance(faults.share / 4) ? random.pick(troubles) : 'none';
      if (trouble === 'dies before') alive = false;
      if (trouble === 'is slow') await time.sleep(random.integer(0, faults.longestPauseMs));
      await whileAlive();
      if (trouble === 'fails before' && mayFail) throw new Error('store lost');
      const result = await work();
      if (trouble === 'dies after') alive = false;
      await whileAlive();
      if (trouble === 'fails after' && mayFail) throw new Error('store lost');
      return result;
    },
  };
}

/** A store every method of which is one step of a process. */
function inSteps(
  store: OperationStore,
  step: <T>(work: () => Promise<T>) => Promise<T>,
): OperationStore {
  return {
    find: (...args) => step(() => store.find(...args)),
    claim: (...args) => step(() => store.claim(...args)),
    startSending: (...args) => step(() => store.startSending(...args)),
    repost: (...args) => step(() => store.repost(...args)),
    record: (...args) => step(() => store.record(...args)),
    countSucceeded: (...args) => step(() => store.countSucceeded(...args)),
    claimedEntries: (...args) => step(() => store.claimedEntries(...args)),
    sweep: (...args) => step(() => store.sweep(...args)),
    listUnknown: (...args) => step(() => store.listUnknown(...args)),
    list: (...args) => step(() => store.list(...args)),
    history: (...args) => step(() => store.history(...args)),
    settle: (...args) => step(() => store.settle(...args)),
    close: () => store.close(),
  };
}
