import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CallOutcome,
  createBreaker,
  type Permission,
} from '../../src/gateway/rest/breaker.ts';
import type { ResilienceSettings } from '../../src/gateway/rest/resilience.ts';
import { createRetryBudget } from '../../src/gateway/rest/retry-budget.ts';
import type { PrimaryOffer } from '../../src/workers/contract.ts';
import type { Peer } from '../../src/workers/peer.ts';
import { createResilienceHub, type HubWorker } from '../../src/workers/resilience-hub.ts';
import { createSharedResilience } from '../../src/workers/shared-resilience.ts';

const settings: ResilienceSettings = {
  retries: 2,
  totalMs: 8_000,
  retryBudget: { ratio: 0.2, perSecond: 2 },
  breaker: { consecutive: 5, ratio: 0.5, minCalls: 20, windowMs: 10_000, openMs: 5_000 },
};

/** Several workers with one primary. Time passes only when the test lets it. */
function openWorkers(count: number) {
  let time = 0;
  const now = () => time;
  const hub = createResilienceHub(settings, now);
  const workers = Array.from({ length: count }, () => openWorker(hub, now));
  return {
    workers,
    now,
    /** Lets time pass, at the pace at which workers report. */
    pass: async (ms: number) => {
      for (const { resilience } of workers) await resilience.flush();
      time += ms;
    },
  };
}

/** What a worker tells arrives before what is done next. */
function openWorker(hub: ReturnType<typeof createResilienceHub>, now: () => number) {
  let arrived: Promise<unknown> = Promise.resolve();
  let asked = 0;
  const offer = {
    report: (_service, report) => hub.report(report),
    probe: () => {
      asked++;
      return hub.probe(member);
    },
    endProbe: (_service, outcome) => hub.endProbe(member, outcome as CallOutcome),
    takeRepeat: (_service, reads) => hub.takeRepeat(reads),
  } satisfies Partial<PrimaryOffer>;
  const use = (name: string, args: unknown[]) =>
    // The types of the peer allow only what is offered.
    (offer as unknown as Record<string, (...args: unknown[]) => unknown>)[name]?.(...args);
  const primary = {
    call: async (name, ...args) => use(name, args),
    tell: (name, ...args) => {
      arrived = Promise.resolve(use(name, args));
    },
  } as Peer<PrimaryOffer>;
  const resilience = createSharedResilience('payments', settings, primary, now);
  const member: HubWorker = {
    gather: async () => resilience.gather(),
    setState: resilience.setState,
  };
  hub.join(member);
  return {
    resilience,
    end: () => hub.leave(member),
    /** How often the primary was asked whether a call may be made. */
    asked: () => asked,
    /** Makes a call that ends at once. False if it was not made. */
    call: async (outcome: CallOutcome, isRead = true) => {
      const permission = await resilience.breaker.enter(isRead);
      if (typeof permission !== 'function') return false;
      permission(outcome);
      await arrived;
      return true;
    },
    arrived: () => arrived,
  };
}

type Opened = ReturnType<typeof openWorkers>;
const workerOf = ({ workers }: Opened, number: number) => {
  const worker = workers[number % workers.length];
  if (worker === undefined) throw new Error('There is no worker.');
  return worker;
};

const outcome = fc.oneof(
  { weight: 6, arbitrary: fc.constant<CallOutcome>('FAILURE') },
  { weight: 2, arbitrary: fc.constantFrom<CallOutcome>('SUCCESS', 'ERROR', 'NONE') },
);
const lasts = fc.oneof(fc.nat(4), fc.nat(60));
/** A call begins, and ends after so many others have begun; or time passes. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ worker: fc.nat(3), outcome, isRead: fc.boolean(), lasts }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ passMs: fc.constantFrom(200, 900, 2_500, 5_000, 11_000) }),
    },
  ),
  { minLength: 30, maxLength: 150, size: 'max' },
);

test('several workers stop and try again at the same calls as one process', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (list, count) => {
      const opened = openWorkers(count);
      const one = createBreaker(settings.breaker, opened.now);
      const running: { left: number; readonly end: () => Promise<unknown> }[] = [];
      for (const step of list) {
        if ('passMs' in step) {
          await opened.pass(step.passMs);
          continue;
        }
        const { resilience, arrived } = workerOf(opened, step.worker);
        const both: Permission[] = [
          one.enter(step.isRead),
          await resilience.breaker.enter(step.isRead),
        ];
        const [made, madeByWorker] = both.map((each) => typeof each === 'function');
        expect(madeByWorker).toBe(made);
        const end = async () => {
          for (const each of both) if (typeof each === 'function') each(step.outcome);
          await arrived();
        };
        // While a call tries the service, workers ask again later than one process.
        if (made) running.push({ left: one.isOpen() ? 0 : step.lasts, end });
        for (const call of running.filter(({ left }) => left === 0)) await call.end();
        for (const call of running) call.left--;
      }
    }),
    { numRuns: 200 },
  );
});

test('several workers repeat as many reads as one process', async () => {
  const use = fc.record({
    worker: fc.nat(2),
    reads: fc.nat(20),
    takes: fc.nat(6),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(use, { maxLength: 40 }), async (list) => {
      const opened = openWorkers(3);
      const one = createRetryBudget(settings.retryBudget, opened.now);
      for (const { worker, reads, takes, fails } of list) {
        const { retryBudget, flush } = workerOf(opened, worker).resilience;
        one.earn(reads);
        for (let count = 0; count < reads; count++) retryBudget.earn();
        // Every worker reports what it has seen when a call of one fails.
        if (fails) await workerOf(opened, worker + 1).call('FAILURE');
        for (let count = 0; count < takes; count++) {
          expect(await retryBudget.take()).toBe(one.take());
        }
        await flush();
        expect(retryBudget.left()).toBeCloseTo(one.left());
        await opened.pass(700);
      }
    }),
    { numRuns: 100 },
  );
});

test('while one worker tries the service, no other one does', async () => {
  const opened = openWorkers(3);
  const [first, second, third] = [0, 1, 2].map((number) => workerOf(opened, number));
  for (let count = 0; count < 5; count++) await first?.call('FAILURE');
  await opened.pass(5_000);
  const probe = await first?.resilience.breaker.enter(true);
  expect(probe).toBeTypeOf('function');
  expect(await second?.call('SUCCESS')).toBe(false);
  expect(await third?.call('SUCCESS')).toBe(false);
  expect(await second?.call('SUCCESS')).toBe(false);
  expect(second?.asked()).toBe(1);
  if (typeof probe === 'function') probe('SUCCESS');
  for (const worker of [first, second, third]) expect(await worker?.call('SUCCESS')).toBe(true);
});

test('another worker tries the service if the one that did has ended', async () => {
  const opened = openWorkers(2);
  const [first, second] = [workerOf(opened, 0), workerOf(opened, 1)];
  for (let count = 0; count < 5; count++) await first.call('FAILURE');
  await opened.pass(5_000);
  expect(await first.resilience.breaker.enter(true)).toBeTypeOf('function');
  expect(await second.call('SUCCESS')).toBe(false);
  first.end();
  await opened.pass(100);
  expect(await second.call('SUCCESS')).toBe(true);
});

test('a worker that starts while a service is not called does not call it either', async () => {
  let time = 0;
  const hub = createResilienceHub(settings, () => time);
  const first = openWorker(hub, () => time);
  for (let count = 0; count < 5; count++) await first.call('FAILURE');
  time += 2_000;
  const { enter } = openWorker(hub, () => time).resilience.breaker;
  expect(enter(true)).toEqual({ retryAfterMs: 3_000 });
});
