import { describeStorage, openDatabase, type Storage } from '../database/open.ts';
import { systemClock } from './clock.ts';
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
import { createInvite, type Invite } from './payments/invitations.ts';
import { lineRoutes } from './payments/lines.ts';
import { memberRoutes } from './payments/members.ts';
import { merchantAppRoutes } from './payments/merchant-apps.ts';
import { merchantRoutes } from './payments/merchants.ts';
import { movementRoutes } from './payments/movements.ts';
import { transactionRoutes } from './payments/transactions.ts';
import { paymentPageRoutes } from './pos/payment-page.ts';
import { sandboxProgram } from './program.ts';
import { type DemoApp, seed } from './seed/seed.ts';
import { userRoutes } from './users/users.ts';

/** How a sandbox is started; everything has a default fit for tests. */
export interface SandboxOptions extends Storage {
  /** 0, the default, picks a free port. */
  readonly usersPort?: number;
  readonly paymentsPort?: number;
  readonly posPort?: number;
  /** The demo app's key; without it one is made at first start and kept. */
  readonly demoKey?: string;
  /** Where invitations go out; without it they stay in the outbox. */
  readonly smtpUrl?: string;
  readonly log?: (entry: RequestLogEntry) => void;
  /** Told of what happens besides requests, without addresses of people. */
  readonly report?: (message: string) => void;
  /** Told of defects of the sandbox itself. */
  readonly onBug?: (error: unknown, requestId: string) => void;
  /** Replaces the clock, the randomness or the dispute delay. */
  readonly environment?: Partial<Omit<Environment, 'database'>>;
}

/** Both services, running. */
export interface Sandbox {
  readonly usersUrl: string;
  readonly paymentsUrl: string;
  readonly posUrl: string;
  readonly demoApp: DemoApp;
  /** Every operation each of them serves, as `GET /users/:id`. */
  readonly operations: Readonly<Record<ServiceName, readonly string[]>>;
  /** Where the records lie, for people. */
  readonly storage: string;
  /** Moves the sandbox's clock on, and gives every dispute that is due by then its outcome. */
  advanceClock(ms: number): Promise<void>;
  close(): Promise<void>;
}

type ServiceName = 'users' | 'payments' | 'pos';

const HOST = '127.0.0.1';
const SETTLE_EVERY_MS = 1_000;

/**
 * Starts both services and the payment page, each on its own port. On an empty
 * database it plants the demo data first. Rejects, with nothing left open, when the
 * database is in use or a port is taken.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const database = await openDatabase(options, sandboxProgram);
  const { clock = systemClock } = options.environment ?? {};
  let ahead = 0;
  const environment = createEnvironment(database, {
    ...options.environment,
    clock: () => new Date(clock().getTime() + ahead),
  });
  const running: RunningService[] = [];
  try {
    const demoApp = await seed(environment, options.demoKey);
    await settleDisputes(environment);

    async function start(service: ServiceName, routes: Route[]): Promise<string> {
      const port = options[`${service}Port`] ?? 0;
      const started = await startService({
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
      running.push(started);
      return started.url;
    }
    const invite = createInvite(environment, options.smtpUrl, options.report ?? (() => {}));
    const routes = {
      users: userRoutes(environment),
      payments: paymentRoutes(environment, invite),
      pos: paymentPageRoutes(environment),
    };
    const usersUrl = await start('users', [...routes.users, openApiRoute(usersDocument)]);
    const paymentsUrl = await start('payments', [
      ...routes.payments,
      openApiRoute(paymentsDocument),
    ]);
    const posUrl = await start('pos', routes.pos);
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
        ahead += ms;
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

/** Every operation of the payments service. */
function paymentRoutes(environment: Environment, invite: Invite): Route[] {
  return [
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
  ];
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
