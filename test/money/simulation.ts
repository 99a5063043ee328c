import type { Attempt, Verdict } from '../../src/gateway/operation/attempt.ts';
import type { Clock } from '../../src/gateway/operation/clock.ts';
import type { Effect } from '../../src/gateway/operation/machine.ts';
import {
  isOpen,
  type Operation,
  type OperationKind,
} from '../../src/gateway/operation/operation.ts';
import { createRunner, type Runner } from '../../src/gateway/operation/runner.ts';
import type { OperationStore } from '../../src/gateway/operation/store/operation-store.ts';
import { createMemoryStore } from './memory-store.ts';
import {
  createSimulatedService,
  type SimulatedService,
  type Weather,
} from './simulated-service.ts';
import { createRandom, createVirtualTime, type Random, type VirtualTime } from './virtual-time.ts';

const LEASE_MS = 30_000;
const DEADLINE_MS = 15_000;
const HOUR_MS = 3_600_000;

/** Changes to the code under test, to see that the simulation notices. */
export interface Sabotage {
  /** Nobody ever looks at the trail. */
  readonly blind?: boolean;
}

interface Told {
  readonly key: string;
  readonly verdict: Verdict<string>;
  /** Positions among the service's POSTs of those that this try sent. */
  readonly sent: readonly number[];
}

type Step = <T>(work: () => Promise<T>, mayFail: boolean) => Promise<T>;

/** A process: what it awaits never comes back once it has died. */
interface Process {
  readonly isAlive: () => boolean;
  readonly clock: Clock;
  readonly runner: Runner;
  readonly step: Step;
}

/**
 * One run of real runners over a simulated world, from a seed: one transaction and its
 * merchant's payments, some callers with a key each who retry, one or two processes that die
 * and start again, on clocks that jump. Answers what went against the guarantees.
 */
async function simulate(seed: number, sabotage: Sabotage = {}): Promise<string[]> {
  const random = createRandom(seed);
  const time = createVirtualTime();
  const bounded = random.chance(0.5);
  const weather: Weather = {
    faults: random.pick([0.05, 0.15, 0.4]),
    staleReads: !bounded && random.chance(0.3),
    longestDelayMs: bounded ? 20_000 : 200_000,
    longestPauseMs: bounded ? 10_000 : 40_000,
  };
  const captured = random.pick([0, 0, 30, 60]);
  const service = createSimulatedService(time, random, weather, 100, captured);
  // How long ago it was sent is told by this clock: with a bound on that it must be right.
  const storeClock = bounded ? time : createUnruly(time, random);
  const store = createMemoryStore(storeClock.now, LEASE_MS);
  const outsider = random.chance(0.2);
  const world: World = { random, time, weather, service, store, sabotage, bounded, told: [] };
  const processes = Array.from({ length: random.integer(1, 2) }, () => startProcess(world));

  const callers = Array.from({ length: random.integer(1, 4) }, (_, index) => ({
    key: `key ${index}`,
    kind: random.pick<OperationKind>(['CAPTURE', 'CAPTURE', 'REFUND', 'VOID', 'CREATE']),
    amount: random.pick([20, 40, 70, 100 - captured]),
  }));
  for (const caller of callers) {
    for (let copies = random.integer(1, 2); copies > 0; copies--)
      void call(world, processes, caller);
  }
  if (outsider) {
    const { kind, amount } = random.pick(callers);
    const move = () => kind !== 'CREATE' && service.outside(kind, amount);
    void time.sleep(random.integer(0, 15_000)).then(move);
  }
  await time.run();

  // The world heals; everybody asks once more, and whatever can be known becomes known.
  weather.faults = 0;
  void time.sleep(3 * HOUR_MS);
  await time.run();
  const healed = startProcess(world);
  for (const caller of callers) {
    void tryOnce(world, healed, caller).then(() => tryOnce(world, healed, caller));
    await time.run();
  }
  return judge(world, await store.list(false, 1_000), outsider);
}

/** The first of so many seeds in which something went wrong, with what it was. */
export async function firstFailure(
  from: number,
  seeds: number,
  sabotage: Sabotage = {},
): Promise<string | undefined> {
  for (let seed = from; seed < from + seeds; seed++) {
    const wrong = await simulate(seed, sabotage);
    if (wrong.length > 0) return `MONEY_SEED=${seed}: ${wrong.join('; ')}`;
  }
  return undefined;
}

interface World {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly weather: Weather;
  readonly service: SimulatedService;
  readonly store: OperationStore;
  readonly sabotage: Sabotage;
  readonly bounded: boolean;
  readonly told: Told[];
}

interface Caller {
  readonly key: string;
  readonly kind: OperationKind;
  readonly amount: number;
}

const never = new Promise<never>(() => {});

/** A clock that is now and then put forward or back by an hour; pauses keep their length. */
function createUnruly(time: VirtualTime, random: Random): Clock {
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

const troubles = ['dies before', 'dies after', 'is slow', 'fails before', 'fails after'] as const;

/** Everything a process awaits may be slow, fail, or be its last; then it never returns. */
function createSteps({ time, random, weather }: World): Pick<Process, 'isAlive' | 'step'> {
  let alive = true;
  const orNever = async () => {
    if (!alive) await never;
  };
  return {
    isAlive: () => alive,
    step: async (work, mayFail) => {
      await orNever();
      const trouble = random.chance(weather.faults / 4) ? random.pick(troubles) : 'none';
      if (trouble === 'dies before') alive = false;
      if (trouble === 'is slow') await time.sleep(random.integer(0, weather.longestPauseMs));
      await orNever();
      if (trouble === 'fails before' && mayFail) throw new Error('store lost');
      const result = await work();
      if (trouble === 'dies after') alive = false;
      await orNever();
      if (trouble === 'fails after' && mayFail) throw new Error('store lost');
      return result;
    },
  };
}

function startProcess(world: World): Process {
  const { time, random, bounded } = world;
  const { step, isAlive } = createSteps(world);
  const elapse = async (ms: number) => {
    await time.sleep(ms);
    if (!isAlive()) await never;
  };
  const clock: Clock = {
    now: createUnruly(time, random).now,
    sleep: elapse,
    timeout: elapse,
  };
  type Method = (...args: never[]) => Promise<unknown>;
  const store = Object.fromEntries(
    Object.entries(world.store).map(([name, method]) => [
      name,
      (...args: never[]) => step(() => (method as Method)(...args), true),
    ]),
  ) as unknown as OperationStore;
  // The bound has to cover everything that may hold a POST up, the gateway's own pauses too.
  const settings = {
    guardedRepost: true,
    postMs: 10_000,
    maxProcessingMs: bounded ? 40_000 : undefined,
  };
  return {
    isAlive,
    step,
    clock,
    runner: createRunner({ store, clock, settings, report: () => {} }),
  };
}

/** A caller who tries until told something final, and not for ever. */
async function call(world: World, processes: Process[], caller: Caller): Promise<void> {
  const { random, time } = world;
  await time.sleep(random.integer(0, 3_000));
  for (let tries = random.integer(1, 4); tries > 0; tries--) {
    const index = random.integer(0, processes.length - 1);
    let process = processes[index] as Process;
    if (!process.isAlive()) {
      process = startProcess(world);
      processes[index] = process;
    }
    const patience = time.sleep(60_000).then(() => undefined);
    const verdict = await Promise.race([tryOnce(world, process, caller), patience]);
    if (verdict !== undefined && isFinal(verdict)) return;
    await time.sleep(random.integer(0, 45_000));
  }
}

async function tryOnce(world: World, process: Process, caller: Caller): Promise<Verdict<string>> {
  const sent: number[] = [];
  const attempt = attemptOf(world, process, caller, sent);
  const verdict = await process.runner.run(attempt, process.clock.now() + DEADLINE_MS);
  world.told.push({ key: caller.key, verdict, sent });
  return verdict;
}

function attemptOf(
  { service, sabotage }: World,
  { step }: Process,
  { key, kind, amount }: Caller,
  sent: number[],
): Attempt<string> {
  const wanted = {
    merchantId: 'm',
    key,
    amount,
    currency: 'EUR',
    fingerprint: `${kind} ${amount}`,
  };
  return {
    intent:
      kind === 'CREATE'
        ? { ...wanted, kind, lockKey: null, transactionId: null }
        : { ...wanted, kind, lockKey: 't', transactionId: 't' },
    invalid: undefined,
    takeSnapshot: () =>
      step(async () => {
        const snapshot = await service.read();
        if (kind === 'CREATE') return { snapshot: { newest: null } };
        return service.fits(kind, amount) ? { snapshot } : { invalid: 'AMOUNT_TOO_LARGE' };
      }, false),
    post: (operation) =>
      step(() => {
        const { length } = service.posts;
        const result = service.post(operation);
        if (service.posts.length > length) sent.push(length);
        return result;
      }, false),
    findEffect: (operation) =>
      step<Effect>(
        async () => (sabotage.blind ? { kind: 'ABSENT' } : service.findEffect(operation)),
        false,
      ),
  };
}

function isFinal(verdict: Verdict<string>): boolean {
  return verdict.kind === 'OPERATION' && !isOpen(verdict.operation);
}

function judge(
  { service, told, weather, bounded }: World,
  operations: readonly Operation[],
  outsider: boolean,
): string[] {
  const wrong: string[] = [];
  const done = service.done();
  const applied = (id: string) => done.filter(({ operation }) => operation === id).length;
  const posted = (id: string) => service.posts.filter(({ operation }) => operation === id).length;
  const check = (fine: boolean, what: string) => {
    if (!fine) wrong.push(what);
  };

  for (const id of new Set(service.posts.map(({ operation }) => operation))) {
    check(applied(id) <= 1, `${id} applied ${applied(id)} times`);
    check(posted(id) <= 2, `${id} was posted ${posted(id)} times`);
  }
  for (const operation of operations) {
    const { id, kind, state } = operation;
    const posts = 'posts' in operation ? operation.posts : 0;
    const evidence = 'evidence' in operation ? operation.evidence : null;
    // A payment carries the tag of its operation: nobody else's passes for it.
    const foreign = outsider && kind !== 'CREATE';
    check(kind !== 'CREATE' || posted(id) <= 1, `${id} was created by ${posted(id)} POSTs`);
    check(posted(id) <= posts, `${id} was posted ${posted(id)} times, the store says ${posts}`);
    if (state === 'SUCCEEDED') {
      check(applied(id) === 1 || foreign, `${id} SUCCEEDED with ${applied(id)} entries`);
      check(evidence !== 'ANSWERED' || applied(id) === 1, `${id} was answered, not applied`);
    }
    if (state === 'REJECTED') check(applied(id) === 0, `${id} REJECTED although applied`);
    if (state === 'NOT_APPLIED') check(applied(id) === 0, `${id} NOT_APPLIED although applied`);
    check(state !== 'NOT_APPLIED' || bounded, `${id} was presumed without a bound`);
    const alone = applied(id) === 1 && !foreign && !weather.staleReads;
    check(!alone || state === 'SUCCEEDED', `${id} applied, is known by itself, and is ${state}`);
  }
  for (const { key, verdict, sent } of told) {
    const moved = sent.some((index) => service.posts[index]?.applied);
    check(verdict.kind === 'OPERATION' || !moved, `${key} was told ${verdict.kind} and applied`);
    if (verdict.kind !== 'OPERATION') continue;
    const { id, kind, state } = verdict.operation;
    const foreign = outsider && kind !== 'CREATE';
    if (state === 'SUCCEEDED') check(applied(id) === 1 || foreign, `${key} was told SUCCEEDED`);
    if (state === 'REJECTED') check(applied(id) === 0, `${key} was told REJECTED`);
  }
  for (const { operation } of done) {
    const known = operation === undefined || operations.some(({ id }) => id === operation);
    check(known, `the entry of ${operation} has no operation`);
  }
  return wrong;
}
