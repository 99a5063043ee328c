import type { RequestListener } from 'node:http';
import { createYoga } from 'graphql-yoga';
import type { GatewayConfig, ServiceUrls } from './config.ts';
import { createContext, type Shared } from './create-context.ts';
import { createDoor } from './errors.ts';
import { toSubgraph } from './federation/subgraph.ts';
import { createGraphiQL } from './graphiql/graphiql.ts';
import { schemaPage } from './graphiql/schema-page.ts';
import { onlyJson } from './protect/media-type.ts';
import { createUsersAccess } from './protect/users-access.ts';
import { createRestService } from './rest/rest-client.ts';
import { schema } from './schema.ts';

/** A gateway that knows its services. */
export interface GatewayOptions extends GatewayConfig {
  readonly services: ServiceUrls;
  /** Key to fill into GraphiQL; only the sandbox's own. */
  readonly demoKey?: string;
  /** Told of defects of the gateway; clients see "Unexpected error." */
  readonly onDefect?: (error: unknown) => void;
}

/** A composed gateway; no port is open yet. */
export interface Gateway {
  readonly handle: RequestListener;
  /** Closes the connections to the services. */
  close(): Promise<void>;
}

/** Composes everything that outlives a request. */
export function createGateway(options: GatewayOptions): Gateway {
  const { services, limits, pageMax } = options;
  const shared: Shared = {
    users: createRestService('users', services.usersUrl, limits, false),
    payments: createRestService('payments', services.paymentsUrl, limits, true),
    usersAccess: createUsersAccess(options.usersAccess, options.usersAccessTtlMs),
    pageMax,
    posUrl: services.posUrl,
  };
  const yoga = createYoga({
    schema: options.federation ? toSubgraph(schema) : schema,
    context: ({ request }) => createContext(shared, request.headers.get('authorization')),
    maskedErrors: { maskError: createDoor(options.onDefect ?? ((error) => console.error(error))) },
    plugins: [schemaPage(schema), onlyJson()],
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
      await Promise.all([shared.users.close(), shared.payments.close()]);
    },
  };
}
