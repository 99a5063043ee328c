import type { RequestListener } from 'node:http';
import { createYoga } from 'graphql-yoga';
import { createContext, type Shared } from './create-context.ts';
import { createMaskError } from './errors.ts';
import { toSubgraph } from './federation/subgraph.ts';
import { schemaDiagram } from './graphiql/diagram.ts';
import { createGraphiQL } from './graphiql/graphiql.ts';
import { machineClock } from './operation/clock.ts';
import { startMaintenance } from './operation/maintenance.ts';
import { createRunner } from './operation/runner.ts';
import type { OperationStore } from './operation/store/operation-store.ts';

import { onlyJson } from './protect/media-type.ts';
import { createUsersAccess } from './protect/users-access.ts';
import { createRestService } from './rest/rest-client.ts';
import { schema } from './schema.ts';
import type { GatewaySettings, ServiceUrls } from './settings.ts';
import { createEffectFinder } from './transaction/money/find-effect.ts';

/** A gateway that knows its services. */
export interface GatewayOptions extends GatewaySettings {
  readonly services: ServiceUrls;
  /** Where money operations are kept; closed with the gateway. */
  readonly store: OperationStore;
  /** Key to fill into GraphiQL; only the sandbox's own. */
  readonly demoKey?: string;
  /** Called with errors that are bugs in the gateway. Clients see "Unexpected error." */
  readonly onBug?: (error: unknown) => void;
  /** Told what an operator should know, such as an operation only they can settle. */
  readonly report?: (message: string) => void;
}

/** A composed gateway; no port is open yet. */
export interface Gateway {
  readonly handle: RequestListener;
  /** Closes the connections to the services. */
  close(): Promise<void>;
}

/** Composes everything that outlives a request. */
export function createGateway(options: GatewayOptions): Gateway {
  const { services, limits, pageMax, money, store } = options;
  const runner = createRunner({
    store,
    clock: machineClock,
    settings: { ...money, postMs: limits.writeMs },
    report: options.report ?? ((message) => console.error(message)),
  });
  const shared: Shared = {
    users: createRestService({
      service: 'users',
      baseUrl: services.usersUrl,
      limits,
      pageMax,
      needsCredential: false,
    }),
    payments: createRestService({
      service: 'payments',
      baseUrl: services.paymentsUrl,
      limits,
      pageMax,
      needsCredential: true,
    }),
    usersAccess: createUsersAccess(options.usersAccess, options.usersAccessTtlMs),
    posUrl: services.posUrl,
    money: runner,
    deadlineMs: options.deadlineMs,
  };
  const maintenance = startMaintenance(runner, store, money, (key) => {
    const { transactions } = createContext(shared, `Bearer ${key}`);
    return createEffectFinder(transactions);
  });
  const yoga = createYoga({
    schema: options.federation ? toSubgraph(schema) : schema,
    context: ({ request }) => createContext(shared, request.headers.get('authorization')),
    maskedErrors: {
      maskError: createMaskError(options.onBug ?? ((error) => console.error(error))),
    },
    plugins: [schemaDiagram(schema), onlyJson()],
    logging: false,
    landingPage: false,
    // No other site may read answers: Yoga's default would let every origin, with credentials.
    cors: false,
    multipart: false,
    ...createGraphiQL(options.demoKey),
  });
  return {
    handle: (request, response) => void yoga(request, response),
    close: async () => {
      maintenance.stop();
      await runner.close();
      await Promise.all([shared.users.close(), shared.payments.close()]);
      await store.close();
    },
  };
}
