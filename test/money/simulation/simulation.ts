import type { Attempt, Verdict } from '../../../src/gateway/money/attempt.ts';
import {
  isOpen,
  lockKeyOf,
  type MovementKind,
} from '../../../src/gateway/money/engine/operation.ts';
import type { OperationStore } from '../../../src/gateway/money/store/operation-store.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { type Caller, createCallers } from './callers.ts';
import { type Conditions, createConditions, during } from './conditions.ts';
import type { Flaw } from './flaws.ts';
import { type FinishedRun, findViolations, type Returned } from './guarantees.ts';
import { createRandom } from './random.ts';
import { type Environment, type SimulatedProcess, startProcess } from './simulated-process.ts';
import { availableIn, createSimulatedService } from './simulated-service.ts';
import { createVirtualTime, type VirtualTime } from './virtual-time.ts';

const LEASE_MS = 30_000;
const DEADLINE_MS = 15_000;
const SWEEP_MS = 15_000;
const RECONCILE_MS = 30_000;
const RETENTION_DAYS = 35;
const HOUR_MS = 3_600_000;
const AMOUNT = 100;
/** Amounts that no caller moves. */
const OTHER_AMOUNTS = [3, 7, 11] as const;

/** Runs simulations, one for each seed. Returns the first seed that broke a guarantee, and how. */
export async function firstViolation(
  from: number,
  seeds: number,
  flaw: Flaw = {},
): Promise<string | undefined> {
  for (let seed = from; seed < from + seeds; seed++) {
    const violations = findViolations(await simulate(seed, flaw, flaw.conditions));
    if (violations.length > 0) return `MONEY_SEED=${seed}: ${violations.join('; ')}`;
  }
  return undefined;
}

interface Simulation extends Environment {
  readonly flaw: Flaw;
  readonly callers: readonly [Caller, ...Caller[]];
  /** Everything that callers were returned, in order. */
  readonly returned: Returned[];
  /** How many callers are still to send requests. */
  waiting: number;
}

/**
 * One run of real runners in a simulated environment: one transaction, the other transactions
 * of its merchant, up to four callers with one key each, and one or two processes that die and
 * start again.
 */
export async function simulate(
  seed: number,
  flaw: Flaw,
  changes: Partial<Conditions> = {},
): Promise<FinishedRun> {
  const simulation = prepare(seed, flaw, changes);
  const { random, conditions, service, store, callers, returned } = simulation;
  const processes = Array.from({ length: random.integer(1, 2) }, () => start(simulation));
  for (const caller of callers) {
    for (let copies = random.integer(1, 2); copies > 0; copies--) {
      void repeat(simulation, processes, caller);
    }
  }
  moveByOthers(simulation);
  await simulation.time.run();
  await finish(simulation);
  const operations = await store.list(false, 1_000);
  return { conditions, service, callers, operations, returned };
}

function prepare(seed: number, flaw: Flaw, changes: Partial<Conditions>): Simulation {
  const random = createRandom(seed);
  const time = createVirtualTime();
  const conditions: Conditions = { ...createConditions(random), ...changes };
  const captured = random.pick([0, 0, 30, 60]);
  // With voids that count for nothing, the guard needs to see one.
  const voided = conditions.countsVoids ? 0 : random.pick([10, 30, 40]);
  const before = { captured, voided };
  const service = createSimulatedService(time, random, conditions, AMOUNT, before);
  const store = createStore(time, conditions);
  const callers = createCallers(random, { amount: AMOUNT, captured });
  let ids = 0;
  return {
    random,
    time,
    conditions,
    service,
    store: flaw.store?.(store, service.readNow) ?? store,
    newId: () => `operation ${++ids}`,
    flaw,
    callers,
    returned: [],
    waiting: 0,
  };
}

/** The store; the clock of its database jumps. */
function createStore(time: VirtualTime, { clockJumps }: Conditions): OperationStore {
  const now = () => time.now() + (during(clockJumps, time.now())?.byMs ?? 0);
  return createMemoryStore(now, LEASE_MS);
}

/** Starts a process with its maintenance. */
function start(simulation: Simulation): SimulatedProcess {
  const process = startProcess(simulation);
  void sweepRepeatedly(simulation, process);
  if (simulation.conditions.reconciles) void reconcileRepeatedly(simulation, process);
  return process;
}

async function sweepRepeatedly(simulation: Simulation, process: SimulatedProcess) {
  const { time } = simulation;
  let sweptAt = time.now();
  await process.clock.sleep(SWEEP_MS);
  while (simulation.waiting > 0) {
    const now = time.now();
    await process.store.sweep({ retentionDays: RETENTION_DAYS, ownMs: now - sweptAt }).then(
      () => {
        sweptAt = now;
      },
      () => {},
    );
    await process.clock.sleep(SWEEP_MS);
  }
}

async function reconcileRepeatedly(simulation: Simulation, process: SimulatedProcess) {
  const [caller] = simulation.callers;
  const finder = createAttempt(simulation, process, caller, []);
  await process.clock.sleep(RECONCILE_MS);
  while (simulation.waiting > 0) {
    await process.runner.reconcileAll(finder).catch(() => {});
    await process.clock.sleep(RECONCILE_MS);
  }
}

/** Lets other clients of the service make movements, if there are any. */
function moveByOthers({ random, time, conditions, service, callers }: Simulation): void {
  const later = (most: number, move: () => void) =>
    void time.sleep(random.integer(0, most)).then(move);
  if (conditions.hasIdenticalClient) {
    const { kind, amount } = random.pick(callers);
    for (let moves = random.integer(1, 2); moves > 0 && kind !== 'CREATE'; moves--) {
      later(15_000, () => service.moveByAnother(kind, amount));
    }
  }
  if (!conditions.hasOtherClient) return;
  for (let moves = random.integer(1, 4); moves > 0; moves--) {
    const kind = random.pick<MovementKind>(['CAPTURE', 'REFUND', 'VOID']);
    const amount = random.pick(OTHER_AMOUNTS);
    later(15_000, () => service.moveByAnother(kind, amount));
  }
}

/** Ends all faults. Every caller asks again, and what can be known becomes known. */
async function finish(simulation: Simulation): Promise<void> {
  const { time, conditions, store, callers } = simulation;
  conditions.share = 0;
  await pass(time, HOUR_MS);
  await store.sweep({ retentionDays: RETENTION_DAYS, ownMs: HOUR_MS });
  if (conditions.isClosed) closeByAnother(simulation);
  await pass(time, HOUR_MS);
  await store.sweep({ retentionDays: RETENTION_DAYS, ownMs: HOUR_MS });
  const process = startProcess(simulation);
  for (const caller of callers) {
    void send(simulation, process, caller).then(() => send(simulation, process, caller));
    await time.run();
  }
}

/** Lets time pass, and everything that is due happen. */
async function pass(time: VirtualTime, ms: number): Promise<void> {
  void time.sleep(ms);
  await time.run();
}

/** Somebody voids and refunds what is left, in amounts that no caller moves. */
function closeByAnother({ conditions, service }: Simulation): void {
  // Where voids count for nothing, captures use up the rest.
  for (const kind of [conditions.countsVoids ? 'VOID' : 'CAPTURE', 'REFUND'] as const) {
    for (let left = service.available(kind); left > 0; left = service.available(kind)) {
      service.moveByAnother(kind, left % 10 === 0 ? 7 : left % 10);
    }
  }
}

/** Sends a request until its outcome is final, but only a few times. */
async function repeat(
  simulation: Simulation,
  processes: SimulatedProcess[],
  caller: Caller,
): Promise<void> {
  const { random, time } = simulation;
  simulation.waiting++;
  await time.sleep(random.integer(0, 3_000));
  for (let attempts = random.integer(1, 4); attempts > 0; attempts--) {
    const index = random.integer(0, processes.length - 1);
    let process = processes[index];
    if (process === undefined || !process.isAlive()) {
      process = start(simulation);
      processes[index] = process;
    }
    const noAnswer = time.sleep(60_000).then(() => undefined);
    const verdict = await Promise.race([send(simulation, process, caller), noAnswer]);
    if (verdict?.kind === 'OPERATION' && !isOpen(verdict.operation)) break;
    await time.sleep(random.integer(0, 45_000));
  }
  simulation.waiting--;
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
  const fingerprint = `${kind} ${amount}`;
  const wanted = { merchantId: 'm', key, amount, currency: 'EUR', fingerprint };
  const attempt: Attempt<string> = {
    intent:
      kind === 'CREATE'
        ? { ...wanted, kind, lockKey: null, transactionId: null }
        : { ...wanted, kind, lockKey: lockKeyOf('t', kind), transactionId: 't' },
    invalid: undefined,
    takeSnapshot: () =>
      step(async () => {
        const snapshot = await service.read();
        if (kind === 'CREATE') return { snapshot: { newest: null } };
        return amount > availableIn(snapshot, kind)
          ? { invalid: 'AMOUNT_TOO_LARGE' }
          : { snapshot };
      }, false),
    post: (operation) =>
      step(() => {
        const { length } = service.posts;
        const result = service.post(operation);
        if (service.posts.length > length) sent.push(length);
        return result;
      }, false),
    findEffect: (operation) => step(() => service.findEffect(operation), false),
  };
  return flaw.attempt?.(attempt) ?? attempt;
}
