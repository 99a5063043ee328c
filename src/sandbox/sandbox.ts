import type { Database } from '../database/database.ts';
import { createEmbedded } from '../database/embedded.ts';
import { describeStorage, openDatabase, type Storage } from '../database/open.ts';
import { serveControl } from './control/control.ts';
import type { Controlled } from './control/controlled.ts';
import { createInboxes } from './control/inbox.ts';
import { createEnvironment, type Environment, systemClock } from './environment.ts';
import { createFaultList } from './faults/fault-list.ts';
import { createInterfere } from './faults/interfere.ts';
import { documentRoute, indexRoute } from './http/document.ts';
import { createRequestLog } from './http/request-log.ts';
import type { Route } from './http/router.ts';
import { createHandler, printBug, type RequestLogEntry } from './http/server.ts';
import { createInvite, type Invite } from './payments/members.ts';
import {
  closePorts,
  isLoopback,
  LOOPBACK_HOST,
  openPorts,
  type PortOptions,
  type Ports,
} from './ports.ts';
import { sandboxProgram } from './program.ts';
import { routesOf, type ServiceName, serviceNames, services } from './routes.ts';
import type { DemoApp } from './seed/demo-app.ts';
import { type Seed, seed } from './seed/seed.ts';
import { deleteOldChanges } from './state/as-of.ts';
import { doWhatIsDue, moveClock } from './state/due.ts';
import { createSandboxClock, type SandboxClock, writeKeepsChanges } from './state/sandbox-clock.ts';

/** Options of {@link startSandbox}. The defaults suit tests. */
export interface SandboxOptions extends Storage, PortOptions {
  /** The key of the demo app. By default, the first start creates a key and stores it. */
  readonly demoKey?: string;
  /** What a new sandbox contains; the demo data if left out. */
  readonly seed?: Seed;
  /** The SMTP server for invitations. By default, they are stored in the outbox. */
  readonly smtpUrl?: string;
  /** Called once for every request. */
  readonly log?: (entry: RequestLogEntry) => void;
  /** Called with other events. The messages contain no addresses of people. */
  readonly report?: (message: string) => void;
  /** Called with errors that are bugs in the sandbox. By default, those of requests are printed. */
  readonly onBug?: (error: unknown, requestId: string) => void;
  /** Called before an embedded database is created, which takes some seconds. */
  readonly onNewDatabase?: () => void;
  /** Called when the control interface has replaced all records. */
  readonly afterReset?: () => Promise<void>;
  /** Called when faults were removed or have expired, so that calls can succeed again. */
  readonly onRecovery?: () => void;
  /** Replaces the clock, the randomness or the delay of disputes. */
  readonly environment?: Partial<Omit<Environment, 'database'>>;
}

/** A running sandbox. */
export interface Sandbox {
  readonly usersUrl: string;
  readonly paymentsUrl: string;
  readonly posUrl: string;
  /** The control interface, if a port was given for it. */
  readonly controlUrl: string | undefined;
  readonly demoApp: DemoApp;
  /** A payment link of a demo merchant; undefined without the demo data. */
  readonly paymentLink: string | undefined;
  /** The operations of each service, for example `GET /users/:id`. */
  readonly operations: Readonly<Record<ServiceName, readonly string[]>>;
  /** Where the records are stored, for people to read. */
  readonly storage: string;
  /** What the clock read at the start, for people to read; undefined if it is the machine's. */
  readonly clockDifference: string | undefined;
  /** Moves the clock forward. Everything that is due by then happens in order. */
  advanceClock(ms: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts both services and the payment page, each on its own port. Inserts the demo data into an
 * empty database first. If the database is in use or a port is taken, it closes everything and
 * rejects.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const ports = await openPorts(options);
  const { embedded = createEmbedded({ dataDir: options.dataDir }) } = options;
  let database: Database | undefined;
  try {
    if (options.databaseUrl === undefined && embedded.isNew()) options.onNewDatabase?.();
    database = await openDatabase({ ...options, embedded }, sandboxProgram);
    return await serve(options, ports, database);
  } catch (error) {
    await closePorts(ports);
    await database?.close();
    throw error;
  }
}

async function serve(options: SandboxOptions, ports: Ports, database: Database): Promise<Sandbox> {
  const clock = createSandboxClock(options.environment?.clock ?? systemClock);
  const environment = createEnvironment(database, { ...options.environment, clock: clock.now });
  const exclusively = oneAtATime();
  const closing = new AbortController();
  const demoApp = await seed(environment, options.seed ?? 'demo', options.demoKey);
  await clock.load(database);
  await writeKeepsChanges(database, ports.control !== undefined);
  await doWhatIsDue(environment);
  const invite = createInvite(environment, options.smtpUrl, options.report ?? (() => {}));
  const controlled: Controlled = {
    environment,
    clock,
    faults: createFaultList({ onRemoved: options.onRecovery }),
    inboxes: createInboxes(),
    closing: closing.signal,
    requests: createRequestLog(),
    operations: operationsOf(routesOf(environment, invite)),
    addresses: {
      ...urlsOf(ports),
      posIsLocal: isLoopback(options.host ?? LOOPBACK_HOST),
    },
    exclusively,
    afterReset: options.afterReset ?? (async () => {}),
  };
  for (const service of serviceNames) serveService(service, options, ports, controlled, invite);
  const bug = options.onBug ?? printBug;
  if (ports.control !== undefined) {
    serveControl(ports.control, options.controlHost, controlled, bug);
  }
  const maintenance = startMaintenance(environment, clock, exclusively, (error) =>
    options.onBug?.(error, 'maintenance'),
  );
  return {
    ...urlsOf(ports),
    controlUrl: ports.control?.url,
    demoApp,
    paymentLink: await demoLink(database, ports.pos.url),
    operations: controlled.operations,
    storage: describeStorage(options),
    clockDifference: clock.difference(),
    advanceClock: (ms) =>
      exclusively(() => moveClock(environment, clock, new Date(clock.now().getTime() + ms))),
    close: async () => {
      closing.abort();
      await maintenance.stop();
      await closePorts(ports);
      await exclusively(() => database.close());
    },
  };
}

function urlsOf({ users, payments, pos }: Ports) {
  return { usersUrl: users.url, paymentsUrl: payments.url, posUrl: pos.url };
}

async function demoLink(database: Database, posUrl: string): Promise<string | undefined> {
  const [merchant] = await database.query<{ key: string; currency: string }>(
    'SELECT key, currency FROM merchant WHERE test ORDER BY id LIMIT 1',
  );
  if (merchant === undefined) return undefined;
  const { key, currency } = merchant;
  return `${posUrl}/?${new URLSearchParams({ key, test: '1', currency, value: '12.50' })}`;
}

function operationsOf(routes: Record<ServiceName, Route[]>): Record<ServiceName, string[]> {
  const names = (service: ServiceName) =>
    routes[service].map(({ method, path }) => `${method} ${path}`);
  return { users: names('users'), payments: names('payments'), pos: names('pos') };
}

function serveService(
  service: ServiceName,
  { log, onBug }: SandboxOptions,
  ports: Ports,
  controlled: Controlled,
  invite: Invite,
): void {
  const { environment, requests } = controlled;
  const routes = routesOf(environment, invite)[service];
  const { url } = ports[service];
  ports[service].serve(
    createHandler({
      service,
      routes: [
        ...routes,
        documentRoute(services[service], routes, url),
        // The payment page has its own `/`.
        ...(service === 'pos' ? [] : [indexRoute(services[service], url)]),
      ],
      log: (entry) => {
        requests.add(entry);
        log?.(entry);
      },
      onBug: onBug ?? printBug,
      ...(ports.control === undefined
        ? {}
        : { interfere: createInterfere(service, environment, controlled, invite) }),
    }),
  );
}

const EVERY_MS = 1_000;

/**
 * Regularly reads the stored clock, which another process on the same database may have moved,
 * does what is due, and deletes changes that no read needs any more.
 */
export function startMaintenance(
  environment: Environment,
  clock: SandboxClock,
  exclusively: <T>(work: () => Promise<T>) => Promise<T>,
  onBug: (error: unknown) => void,
): { stop(): Promise<void> } {
  const { database } = environment;
  let current = Promise.resolve();
  const timer = setInterval(() => {
    current = exclusively(async () => {
      await clock.load(database);
      await doWhatIsDue(environment);
      await deleteOldChanges(database);
    }).catch(onBug);
  }, EVERY_MS);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      return current;
    },
  };
}

/** Creates a function that runs work in the order of the calls, each after the one before. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
