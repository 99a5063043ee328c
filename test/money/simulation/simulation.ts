import type { Attempt, Verdict } from '../../../src/gateway/operation/attempt.ts';
import { isOpen, type OperationKind } from '../../../src/gateway/operation/operation.ts';
import type { TrailSnapshot } from '../../../src/gateway/operation/snapshot.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { findViolations, type Returned } from './guarantees.ts';
import { createRandom } from './random.ts';
import {
  createJumpingClock,
  type Environment,
  type SimulatedProcess,
  startProcess,
} from './simulated-process.ts';
import { createSimulatedService, type Faults } from './simulated-service.ts';
import { createVirtualTime } from './virtual-time.ts';

const LEASE_MS = 30_000;
const DEADLINE_MS = 15_000;
const HOUR_MS = 3_600_000;
const AMOUNT = 100;

/** Changes that make the simulated gateways wrong, to prove that the simulation notices. */
export interface Flaw {
  /** Reads never show the effect of an operation. */
  readonly findsNothing?: boolean;
  /** The guard allows every second POST of a movement. */
  readonly guardsNothing?: boolean;
}

/** Runs simulations, one for each seed. Returns the first seed that broke a guarantee, and how. */
export async function firstViolation(
  from: number,
  seeds: number,
  flaw: Flaw = {},
): Promise<string | undefined> {
  for (let seed = from; seed < from + seeds; seed++) {
    const violations = await simulate(seed, flaw);
    if (violations.length > 0) return `MONEY_SEED=${seed}: ${violations.join('; ')}`;
  }
  return undefined;
}

/** One caller, who repeats one operation with its key. */
interface Caller {
  readonly key: string;
  readonly kind: OperationKind;
  readonly amount: number;
}

interface Simulation extends Environment {
  readonly flaw: Flaw;
  readonly callers: readonly [Caller, ...Caller[]];
  /** Everything that callers were returned, in order. */
  readonly returned: Returned[];
}

/**
 * One run of real runners in a simulated environment: one transaction, the other transactions
 * of its merchant, up to four callers with one key each, and one or two processes that die and
 * start again. Returns the violations of the guarantees.
 */
async function simulate(seed: number, flaw: Flaw): Promise<string[]> {
  const simulation = prepare(seed, flaw);
  const { random, time, faults, service, store, callers, returned, isBounded } = simulation;
  const hasOtherClient = random.chance(0.2);
  const processes = Array.from({ length: random.integer(1, 2) }, () => startProcess(simulation));
  for (const caller of callers) {
    for (let copies = random.integer(1, 2); copies > 0; copies--) {
      void repeat(simulation, processes, caller);
    }
  }
  if (hasOtherClient) {
    const { kind, amount } = random.pick(callers);
    void time.sleep(random.integer(0, 15_000)).then(() => {
      if (kind !== 'CREATE') service.moveByAnother(kind, amount);
    });
  }
  await time.run();
  await finish(simulation);
  return findViolations({
    service,
    operations: await store.list(false, 1_000),
    returned,
    isBounded,
    staleReads: faults.staleReads,
    hasOtherClient,
  });
}

function prepare(seed: number, flaw: Flaw): Simulation {
  const random = createRandom(seed);
  const time = createVirtualTime();
  const isBounded = random.chance(0.5);
  const faults: Faults = {
    share: random.pick([0.05, 0.15, 0.4]),
    staleReads: !isBounded && random.chance(0.3),
    longestDelayMs: isBounded ? 20_000 : 200_000,
    longestPauseMs: isBounded ? 10_000 : 40_000,
  };
  const captured = random.pick([0, 0, 30, 60]);
  const service = createSimulatedService(time, random, faults, AMOUNT, captured);
  // The store's clock measures how long ago a POST was sent: with a bound it has to be right.
  const storeClock = isBounded ? time : createJumpingClock(time, random);
  const store = createMemoryStore(storeClock.now, LEASE_MS);
  const createCaller = (index: number): Caller => ({
    key: `key ${index}`,
    kind: random.pick<OperationKind>(['CAPTURE', 'CAPTURE', 'REFUND', 'VOID', 'CREATE']),
    amount: random.pick([20, 40, 70, AMOUNT - captured]),
  });
  const more = random.integer(0, 3);
  const callers: Simulation['callers'] = [
    createCaller(0),
    ...Array.from({ length: more }, (_, index) => createCaller(index + 1)),
  ];
  return { random, time, faults, service, store, isBounded, flaw, callers, returned: [] };
}

/** Ends all faults. Every caller asks again, and what can be known becomes known. */
async function finish(simulation: Simulation): Promise<void> {
  const { time, faults, callers } = simulation;
  faults.share = 0;
  void time.sleep(3 * HOUR_MS);
  await time.run();
  const process = startProcess(simulation);
  for (const caller of callers) {
    void send(simulation, process, caller).then(() => send(simulation, process, caller));
    await time.run();
  }
}

/** Sends a request until its outcome is final, but only a few times. */
async function repeat(
  simulation: Simulation,
  processes: SimulatedProcess[],
  caller: Caller,
): Promise<void> {
  const { random, time } = simulation;
  await time.sleep(random.integer(0, 3_000));
  for (let attempts = random.integer(1, 4); attempts > 0; attempts--) {
    const index = random.integer(0, processes.length - 1);
    let process = processes[index];
    if (process === undefined || !process.isAlive()) {
      process = startProcess(simulation);
      processes[index] = process;
    }
    const noAnswer = time.sleep(60_000).then(() => undefined);
    const verdict = await Promise.race([send(simulation, process, caller), noAnswer]);
    if (verdict?.kind === 'OPERATION' && !isOpen(verdict.operation)) return;
    await time.sleep(random.integer(0, 45_000));
  }
}

async function send(
  simulation: Simulation,
  process: SimulatedProcess,
  caller: Caller,
): Promise<Verdict<string>> {
  const sent: number[] = [];
  const attempt = createAttempt(simulation, process, caller, sent);
  const verdict = await process.runner.run(attempt, process.clock.now() + DEADLINE_MS);
  simulation.returned.push({ key: caller.key, verdict, sent });
  return verdict;
}

function createAttempt(
  { service, flaw }: Simulation,
  { step }: SimulatedProcess,
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
        if (!service.fits(kind, amount)) return { invalid: 'AMOUNT_TOO_LARGE' };
        return { snapshot: flaw.guardsNothing ? withoutLimits(snapshot) : snapshot };
      }, false),
    post: (operation) =>
      step(() => {
        const { length } = service.posts;
        const result = service.post(operation);
        if (service.posts.length > length) sent.push(length);
        return result;
      }, false),
    findEffect: (operation) =>
      step(
        async () => (flaw.findsNothing ? { kind: 'ABSENT' } : service.findEffect(operation)),
        false,
      ),
  };
}

/** A snapshot from which the guard concludes that no movement can apply twice. */
function withoutLimits(snapshot: TrailSnapshot): TrailSnapshot {
  const used = snapshot.amount - snapshot.pendingAmount;
  return { ...snapshot, amount: 0, pendingAmount: -used };
}
