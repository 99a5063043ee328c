import { setTimeout as sleep } from 'node:timers/promises';
import { type OperationsPort, openOperationsPort } from '../gateway/observe/operations-port.ts';
import type { CallOutcome } from '../gateway/rest/breaker.ts';
import { describeBreaker } from '../gateway/rest/resilience.ts';
import type { ServiceName } from '../gateway/rest/rest-error.ts';
import type { GatewaySettings } from '../gateway/settings.ts';
import type { EnvironmentVariables } from '../settings/read-settings.ts';
import type { Started } from '../startup-output.ts';
import { within } from '../within.ts';
import type { StopReason } from './contract.ts';
import { type ForkedWorker, forkWorker } from './fork-worker.ts';
import { createResilienceHub, type HubWorker } from './resilience-hub.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/** What a primary reports to. */
export interface PrimaryOptions {
  /** The environment variables that a new worker gets in addition to those of this process. */
  readonly variables: () => EnvironmentVariables;
  readonly settings: Pick<GatewaySettings, 'workers' | 'operations' | 'upstream'>;
  /** How long a worker may take to stop. */
  readonly endWithinMs: number;
  readonly report: (message: string) => void;
  readonly onBug: (error: unknown) => void;
}

/** The process that starts the workers, and keeps their shared state. */
export interface PrimaryProcess extends Pick<Supervisor, 'restart' | 'kill'> {
  /**
   * Starts the workers, and keeps them running. Returns what the startup output shows. Rejects
   * with a `StartError` if one cannot start.
   */
  start(): Promise<Started>;
  stop(reason: StopReason): Promise<void>;
}

const SERVICES = ['users', 'payments'] as const satisfies readonly ServiceName[];
/** A worker that does not answer the primary in time is left out. */
const READINESS_WITHIN_MS = 2_000;

/** The failure of a call counts after this time, even if a worker is too busy to answer. */
const GATHER_WITHIN_MS = 200;

/** Opens the operations port, if there is one. No worker is started yet. */
export async function openPrimary(options: PrimaryOptions): Promise<PrimaryProcess> {
  const { settings, report, onBug } = options;
  const running = new Map<number, ForkedWorker>();
  const connect = createConnect(options);
  let screen: Started | undefined;
  const supervisor = createSupervisor({
    count: settings.workers,
    report,
    onExit: () => {},
    wait: (ms) => sleep(ms),
    fork: (number) => {
      const worker = connect();
      void worker.ready.then((started) => {
        screen ??= started;
        running.set(number, worker);
      });
      void worker.ended.then(() => {
        if (running.get(number) === worker) running.delete(number);
      });
      return worker;
    },
  });
  const port = await openPort(settings, running, onBug);
  return {
    start: async () => {
      try {
        await supervisor.start();
      } catch (error) {
        supervisor.kill();
        throw error;
      }
      if (screen === undefined) throw new Error('The workers have not said where they listen.');
      const metricsUrl = port && `${port.url}/metrics`;
      return { ...screen, metricsUrl, workers: settings.workers };
    },
    restart: supervisor.restart,
    kill: supervisor.kill,
    stop: async (reason) => {
      await supervisor.stop(reason);
      await port?.close();
    },
  };
}

/** Returns what starts a worker that shares the breakers and the retry budgets with the others. */
function createConnect({ settings, endWithinMs, variables, report, onBug }: PrimaryOptions) {
  const { workers, upstream } = settings;
  const openHub = (service: ServiceName) =>
    createResilienceHub(upstream.resilience, undefined, (state) =>
      report(describeBreaker(service, state)),
    );
  const hubs = { users: openHub('users'), payments: openHub('payments') };
  return (): ForkedWorker => {
    const members: Record<ServiceName, HubWorker> = {
      users: createMember('users'),
      payments: createMember('payments'),
    };
    function createMember(service: ServiceName): HubWorker {
      return {
        gather: () => inTime(worker.peer.call('gather', service), GATHER_WITHIN_MS),
        setState: (state) => worker.peer.tell('setBreaker', service, state),
      };
    }
    const worker = forkWorker({
      variables: { ...variables(), WORKERS: String(workers) },
      endWithinMs,
      report,
      onBug,
      offer: {
        report: (service, seen) => hubs[service].report(seen),
        probe: (service) => hubs[service].probe(members[service]),
        // A worker reports only outcomes.
        endProbe: (service, outcome) =>
          hubs[service].endProbe(members[service], outcome as CallOutcome),
        takeRepeat: (service, reads) => hubs[service].takeRepeat(reads),
      },
    });
    void worker.connected.then(() => {
      for (const service of SERVICES) hubs[service].join(members[service]);
    });
    void worker.ended.then(() => {
      for (const service of SERVICES) hubs[service].leave(members[service]);
    });
    return worker;
  };
}

/** Opens the operations port of all workers together, if the settings ask for it. */
async function openPort(
  { operations: { host, port } }: PrimaryOptions['settings'],
  running: ReadonlyMap<number, ForkedWorker>,
  onBug: (error: unknown) => void,
): Promise<OperationsPort | undefined> {
  if (port === undefined) return undefined;
  const json = 'application/json';
  return openOperationsPort(
    { host, port },
    {
      '/health': () => ({ status: 200, type: 'text/plain; charset=utf-8', body: '' }),
      '/ready': async () => {
        const states = await askAll(running, READINESS_WITHIN_MS, ({ peer }) =>
          peer.call('readReadiness'),
        );
        const all = [...states.values()];
        const [state] = [...all.filter(({ status }) => status === 200), ...all];
        return { type: json, ...(state ?? { status: 503, body: '{"status":"starting"}' }) };
      },
    },
    onBug,
  );
}

/** Asks all workers. Those that do not answer in time, or have ended, are left out. */
async function askAll<Answer>(
  running: ReadonlyMap<number, ForkedWorker>,
  withinMs: number,
  ask: (worker: ForkedWorker) => Promise<Answer>,
): Promise<Map<number, Answer>> {
  const answers = new Map<number, Answer>();
  const asked = [...running].map(async ([number, worker]) => {
    answers.set(number, await inTime(ask(worker), withinMs));
  });
  await Promise.allSettled(asked);
  return new Map([...answers].toSorted(([one], [other]) => one - other));
}

/** Rejects if an answer takes too long. */
function inTime<Answer>(answer: Promise<Answer>, ms: number): Promise<Answer> {
  return within(answer, ms, () => {
    throw new Error('The worker does not answer.');
  });
}
