import { expect, test } from 'vitest';
import type { StopReason } from '../../src/workers/contract.ts';
import { createSupervisor, StartError } from '../../src/workers/supervisor.ts';
import type { Exit, WorkerProcess } from '../../src/workers/worker-slot.ts';

/** A process that does what the test says. */
class TestProcess implements WorkerProcess {
  readonly number: number;
  readonly stopped: StopReason[] = [];
  isRunning = true;
  becomeReady: () => void = () => {};
  end: (exit?: Exit) => void = () => {};
  readonly ready = new Promise<void>((resolve) => {
    this.becomeReady = resolve;
  });
  readonly ended = new Promise<Exit>((resolve) => {
    this.end = (exit = { code: 1, signal: null }) => {
      this.isRunning = false;
      resolve(exit);
    };
  });

  constructor(number: number) {
    this.number = number;
  }

  stop(reason: StopReason): void {
    this.stopped.push(reason);
  }

  kill(): void {
    this.end({ code: null, signal: 'SIGKILL' });
  }
}

/** Lets everything happen that does not wait for a process. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function open(count: number) {
  const processes: TestProcess[] = [];
  const pauses: number[] = [];
  const reports: string[] = [];
  const supervisor = createSupervisor({
    count,
    fork: (number) => {
      const started = new TestProcess(number);
      processes.push(started);
      return started;
    },
    report: (message) => reports.push(message),
    onExit: () => {},
    wait: async (ms) => pauses.push(ms),
  });
  const process = (index: number) => {
    const found = processes[index];
    if (found === undefined) throw new Error(`Only ${processes.length} processes were started.`);
    return found;
  };
  return { supervisor, processes, process, pauses, reports };
}

/** Two workers that accept requests. */
async function started() {
  const opened = open(2);
  const starting = opened.supervisor.start();
  expect(opened.processes).toHaveLength(1);
  opened.process(0).becomeReady();
  await settle();
  opened.process(1).becomeReady();
  await starting;
  return opened;
}

test('the first worker starts alone, and its exit code is that of the program', async () => {
  const { supervisor, process, processes } = open(2);
  const starting = supervisor.start();
  process(0).end({ code: 2, signal: null });
  await expect(starting).rejects.toThrow(StartError);
  await expect(starting).rejects.toMatchObject({ exitCode: 2 });
  expect(processes).toHaveLength(1);
});

test('a worker that ends is replaced, each time after a longer pause', async () => {
  const { process, processes, pauses, reports } = await started();
  process(1).end({ code: null, signal: 'SIGKILL' });
  for (let index = 2; index < 14; index++) {
    await settle();
    process(index).end();
  }
  await settle();
  process(14).becomeReady();
  await settle();
  expect(pauses.slice(0, 5)).toEqual([100, 200, 400, 800, 1_600]);
  expect(pauses.at(-1)).toBe(30_000);
  expect(processes.map(({ number }) => number).slice(1)).toEqual(Array(14).fill(2));
  expect(reports[0]).toBe('Worker 2 ended (SIGKILL). Another one takes its place.');
  expect(process(0).isRunning).toBe(true);
});

test('a restart stops a worker only when the next one accepts requests', async () => {
  const { supervisor, process, processes, reports } = await started();
  const restarting = supervisor.restart();
  await settle();
  expect(processes).toHaveLength(3);
  expect(process(0).stopped).toEqual([]);
  process(2).becomeReady();
  await settle();
  expect(process(0).stopped).toEqual(['REPLACED']);
  expect(processes).toHaveLength(3);
  process(0).end({ code: 0, signal: null });
  await settle();
  process(3).becomeReady();
  await settle();
  process(1).end({ code: 0, signal: null });
  await restarting;
  expect(reports).toEqual(['All 2 workers were replaced.']);
  expect(processes.filter(({ isRunning }) => isRunning)).toEqual([process(2), process(3)]);
});

test('a new worker that does not start leaves the earlier ones running', async () => {
  const { supervisor, process, processes, reports } = await started();
  const restarting = supervisor.restart();
  await settle();
  process(2).end();
  await restarting;
  expect(reports).toEqual(['The new worker 1 did not start. The earlier workers continue.']);
  expect(processes.filter(({ isRunning }) => isRunning)).toEqual([process(0), process(1)]);
  expect(process(0).stopped).toEqual([]);
});

test('a worker that ends while its successor starts gets no other one', async () => {
  const { supervisor, process, processes } = await started();
  void supervisor.restart();
  await settle();
  process(0).end();
  await settle();
  process(2).becomeReady();
  await settle();
  expect(processes.map(({ number }) => number)).toEqual([1, 2, 1, 2]);
});

test('another restart during a restart replaces all workers once more', async () => {
  const { supervisor, process, processes, reports } = await started();
  const restarting = Promise.all([1, 2, 3].map(() => supervisor.restart()));
  for (let index = 2; index < 6; index++) {
    await settle();
    process(index).becomeReady();
    await settle();
    process(index - 2).end({ code: 0, signal: null });
  }
  await restarting;
  expect(reports).toHaveLength(2);
  expect(processes).toHaveLength(6);
});

test('a stop reaches workers that are starting, and nothing is started after it', async () => {
  const { supervisor, process, processes } = await started();
  void supervisor.restart();
  await settle();
  const stopping = supervisor.stop('SIGTERM');
  expect(processes.map(({ stopped }) => stopped)).toEqual(Array(3).fill(['SIGTERM']));
  for (let index = 0; index < 3; index++) process(index).end({ code: 0, signal: null });
  await stopping;
  await settle();
  expect(processes).toHaveLength(3);
});
