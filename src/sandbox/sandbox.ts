import { describeStorage, openDatabase, type Storage } from '../database/open.ts';
import { type Clock, systemClock } from './clock.ts';
import { createEnvironment, type Environment } from './environment.ts';
import type { Route } from './http/router.ts';
import { type RequestLogEntry, type RunningService, startService } from './http/server.ts';
import { openApiRoute } from './openapi/document.ts';
import { paymentsDocument } from './openapi/payments.ts';
import { usersDocument } from './openapi/users.ts';
import { appRoutes } from './payments/apps.ts';
import { cardRoutes } from './payments/cards.ts';
import { disputeRoutes, settleDisputes } from './payments/disputes.ts';
import { fraudAlertRoutes } from './payments/fraud-alerts.ts';
import { createInvite } from './payments/invitations.ts';
import { lineRoutes } from './payments/lines.ts';
import { memberRoutes } from './payments/members.ts';
import { merchantAppRoutes } from './payments/merchant-apps.ts';
import { merchantRoutes } from './payments/merchants.ts';
import { movementRoutes } from './payments/movements.ts';
import { transactionRoutes } from './payments/transactions.ts';
import { paymentPageRoutes } from './pos/payment-page.ts';
import { sandboxProgram } from './program.ts';
import type { DemoApp } from './seed/demo-app.ts';
import { type Seed, seed } from './seed/seed.ts';
import { userRoutes } from './users/users.ts';

/** Options of {@link startSandbox}. The defaults suit tests. */
export interface SandboxOptions extends Storage {
  /** 0, the default, picks a free port. */
  readonly usersPort?: number;
  readonly paymentsPort?: number;
  readonly posPort?: number;
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
  /** Replaces the clock, the randomness or the delay of disputes. */
  readonly environment?: Partial<Omit<Environment, 'database'>>;
}

/** A running sandbox. */
export interface Sandbox {
  readonly usersUrl: string;
  readonly paymentsUrl: string;
  readonly posUrl: string;
  readonly demoApp: DemoApp;
  /** The operations of each service, for example `GET /users/:id`. */
  readonly operations: Readonly<Record<ServiceName, readonly string[]>>;
  /** Where the records are stored, as a text for people. */
  readonly storage: string;
  /** Moves the clock forward and gives every dispute that is due by then its outcome. */
  advanceClock(ms: number): Promise<void>;
  close(): Promise<void>;
}

type ServiceName = 'users' | 'payments' | 'pos';

const HOST = '127.0.0.1';
const SETTLE_EVERY_MS = 1_000;

/**
 * Starts both services and the payment page, each on its own port. Inserts the demo data into an
 * empty database first. If the database is in use or a port is taken, it closes everything and
 * rejects.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const database = await openDatabase(options, sandboxProgram);
  const clock = adjustableClock(options.environment?.clock ?? systemClock);
  const environment = createEnvironment(database, { ...options.environment, clock: clock.now });
  const running: RunningService[] = [];
  try {
    const demoApp = await seed(environment, options.seed ?? 'demo', options.demoKey);
    await settleDisputes(environment);
    const routes = routesOf(environment, options);
    const start = async (service: ServiceName, ...more: Route[]) => {
      const started = await startOne(service, [...routes[service], ...more], options);
      running.push(started);
      return started.url;
    };
    const usersUrl = await start('users', openApiRoute(usersDocument));
    const paymentsUrl = await start('payments', openApiRoute(paymentsDocument));
    const posUrl = await start('pos');
    const settling = settleRegularly(environment, options.onBug);

    return {
      usersUrl,
      paymentsUrl,
      posUrl,
      demoApp,
      operations: {
        users: routes.users.map(nameOf),
        payments: routes.payments.map(nameOf),
        pos: routes.pos.map(nameOf),
      },
      storage: describeStorage(options),
      advanceClock: (ms) => {
        clock.advance(ms);
        return settleDisputes(environment);
      },
      close: async () => {
        await settling.stop();
        await closeAll(running);
        await database.close();
      },
    };
  } catch (error) {
    await closeAll(running);
    await database.close();
    throw error;
  }
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** A clock that can be moved forward from the time of another clock. */
function adjustableClock(clock: Clock) {
  let aheadMs = 0;
  return {
    now: () => new Date(clock().getTime() + aheadMs),
    advance: (ms: number) => {
      aheadMs += ms;
    },
  };
}

/** Returns the operations of each service. */
function routesOf(
  environment: Environment,
  { smtpUrl, report = () => {} }: SandboxOptions,
): Record<ServiceName, Route[]> {
  const invite = createInvite(environment, smtpUrl, report);
  return {
    users: userRoutes(environment),
    payments: [
      ...appRoutes(environment),
      ...merchantRoutes(environment),
      ...transactionRoutes(environment),
      ...movementRoutes(environment),
      ...lineRoutes(environment),
      ...memberRoutes(environment, invite),
      ...merchantAppRoutes(environment),
      ...cardRoutes(environment),
      ...disputeRoutes(environment),
      ...fraudAlertRoutes(environment),
    ],
    pos: paymentPageRoutes(environment),
  };
}

async function startOne(
  service: ServiceName,
  routes: readonly Route[],
  options: SandboxOptions,
): Promise<RunningService> {
  const port = options[`${service}Port`] ?? 0;
  return startService({
    service,
    host: HOST,
    port,
    routes,
    log: options.log ?? (() => {}),
    onBug: options.onBug ?? ((error) => console.error(error)),
  }).catch((error) => {
    const setting = `SANDBOX_${service.toUpperCase()}_PORT`;
    const taken = `Port ${port} is taken. Set ${setting} to another one (0 picks a free one).`;
    throw error.code === 'EADDRINUSE' ? new Error(taken) : error;
  });
}

function settleRegularly(environment: Environment, onBug: SandboxOptions['onBug']) {
  let current = Promise.resolve();
  const timer = setInterval(() => {
    current = current.then(() =>
      settleDisputes(environment).catch((error) => onBug?.(error, 'settle-disputes')),
    );
  }, SETTLE_EVERY_MS);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      return current;
    },
  };
}

async function closeAll(services: readonly RunningService[]): Promise<void> {
  await Promise.all(services.map((service) => service.close()));
}
