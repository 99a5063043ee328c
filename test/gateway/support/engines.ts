import { type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import { identifyByKey } from '../../../src/gateway/access/identity.ts';
import { createUsersAccess } from '../../../src/gateway/access/users-access.ts';
import { newScope } from '../../../src/gateway/channels.ts';
import { noEvents } from '../../../src/gateway/events/events.ts';
import { createContext, type Shared } from '../../../src/gateway/execution/create-context.ts';
import {
  type ReadDocument,
  readDocument,
} from '../../../src/gateway/execution/documents/read-document.ts';
import { createMaskError } from '../../../src/gateway/execution/errors.ts';
import { createExecuteOperation } from '../../../src/gateway/execution/execute-operation.ts';
import { createPlans, type Plans } from '../../../src/gateway/execution/plans/plans.ts';
import { createRunner } from '../../../src/gateway/money/runner.ts';
import { noReplica } from '../../../src/gateway/replica/replica.ts';
import { schema } from '../../../src/gateway/schema.ts';
import { readGatewaySettings } from '../../../src/gateway/settings/settings.ts';
import { createAllowance, createUnlimited } from '../../../src/gateway/upstream/allowance.ts';
import { createEpochs } from '../../../src/gateway/upstream/epochs.ts';
import { openServices } from '../../../src/gateway/upstream/open-services.ts';
import type { RestClient, RestService } from '../../../src/gateway/upstream/rest-client.ts';
import { noWebhooks } from '../../../src/gateway/webhooks/webhooks.ts';
import { createMemoryStore } from '../../money/support/memory-store.ts';
import { patientGateway, patientStore } from '../../support/patience.ts';

/** A GraphQL request as both engines get it. */
export interface EngineRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

/** graphql-js and compiled code, in front of the same services. */
export interface Engines {
  /** Whether a gateway executes the request. */
  accepts(request: EngineRequest): boolean;
  /** The response of graphql-js, as text. */
  interpret(request: EngineRequest): Promise<string>;
  /** The response with the plan of the operation, if it has one. */
  compile(request: EngineRequest): Promise<string>;
  /** Whether the operation of this request has a plan. */
  hasPlan(request: EngineRequest): boolean;
  /** Bugs that were hidden from clients. */
  readonly bugs: unknown[];
  close(): Promise<void>;
}

/** Where the services are, and the key to call them with. */
export interface EngineServices {
  readonly usersUrl: string;
  readonly paymentsUrl: string;
  readonly posUrl: string;
  readonly key: string;
}

/** What a request may use, and how many items a call of a list asks for. */
export interface EngineLimits {
  readonly maxCalls: number;
  readonly maxSearchCalls: number;
  readonly pageMax: number;
}

/**
 * Creates both engines. What the services answer is remembered, so that both see the same.
 *
 * @param spoil makes the plans wrong, to prove that a test notices
 * @param limits nothing is remembered, so that calls count. One is made after the other
 */
export function createEngines(
  { key, ...services }: EngineServices,
  spoil: (plans: Plans) => Pick<Plans, 'find'> = (plans) => plans,
  limits?: EngineLimits,
): Engines {
  const shared = createShared(services, limits);
  const bugs: unknown[] = [];
  const maskError = createMaskError((error) => bugs.push(error));
  const plans = spoil(createPlans(schema, { isEnabled: true, count: 10_000 }));
  const interpret = createExecuteOperation(schema, { find: () => undefined });
  const compile = createExecuteOperation(schema, plans);
  const documentLimits = readGatewaySettings({}).documents.limits;
  const documents = new Map<string, ReadDocument>();

  function find({ query, operationName }: EngineRequest) {
    const known =
      documents.get(query) ??
      readDocument(query, { schema, limits: documentLimits, introspection: true }, newScope());
    documents.set(query, known);
    if (!('document' in known)) return undefined;
    const { document } = known;
    const operation = getOperationAST(document, operationName);
    return operation ? { document, operation } : undefined;
  }

  async function run(engine: typeof interpret, request: EngineRequest): Promise<string> {
    const identity = identifyByKey(`Bearer ${key}`);
    const allowance = limits ? createAllowance('test', shared.allowance) : createUnlimited('test');
    const context = createContext(shared, identity, allowance);
    const found = find(request);
    if (found === undefined) throw new Error(`It is not executed: ${request.query}`);
    const variables = request.variables ?? {};
    return toText(await engine({ ...found, variables, context, scope: newScope() }), maskError);
  }

  return {
    bugs,
    accepts: (request) => find(request) !== undefined,
    interpret: (request) => run(interpret, request),
    compile: (request) => run(compile, request),
    hasPlan: (request) => {
      const found = find(request);
      const { variables = {} } = request;
      return (
        found !== undefined && plans.find(found.document, found.operation, variables) !== undefined
      );
    },
    close: async () => {
      await Promise.all([shared.users.close(), shared.payments.close()]);
      await shared.moneyPayments.close();
    },
  };
}

function toText({ data, errors }: ExecutionResult, maskError: (error: unknown) => Error): string {
  const masked = errors?.map(maskError).filter((error) => error instanceof GraphQLError);
  return JSON.stringify({ errors: masked, data });
}

/** What requests of a gateway share. */
function createShared(services: Omit<EngineServices, 'key'>, given?: EngineLimits): Shared {
  const settings = { ...readGatewaySettings({ COALESCE: 'off' }), freezesReads: true };
  const epochs = createEpochs(settings.coalesce);
  const { upstream } = patientGateway;
  const connections = { ...upstream.connections, ...(given ? { reads: 1 } : {}) };
  const allowance = { ...upstream.allowance, ...given };
  const options = {
    ...{ ...settings, ...patientGateway, ...given, services },
    upstream: { ...upstream, connections, allowance },
  };
  const { users, payments, moneyPayments } = openServices({ ...options, moneyWrites: 64 }, epochs);
  const { clock, limits } = options;
  return {
    users: given ? users : remember(users),
    payments: given ? payments : remember(payments),
    moneyPayments: remember(moneyPayments),
    noteUnreadable: () => {},
    identify: identifyByKey,
    ...{ replica: noReplica, events: noEvents, webhooks: noWebhooks },
    usersAccess: createUsersAccess('*', 0),
    admitKeyless: async () => undefined,
    posUrl: services.posUrl,
    money: createRunner({
      store: createMemoryStore(Date.now, patientStore.leaseMs),
      clock,
      settings: { ...settings.money, postMs: limits.writeMs },
      report: () => {},
    }),
    now: clock.now,
    readsAhead: true,
    maxSearchCalls: given?.maxSearchCalls ?? 20,
    allowance: { ...options.upstream.allowance, deadlineMs: options.deadlineMs },
  };
}

/** Makes every read once. */
function remember(service: RestService): RestService {
  const known = new Map<string, Promise<unknown>>();
  const withMemory = (client: RestClient): RestClient => ({
    ...client,
    get: (path, query) => {
      const id = JSON.stringify([path, query]);
      const read = known.get(id) ?? client.get(path, query);
      read.catch(() => {});
      known.set(id, read);
      return read;
    },
  });
  return {
    as: (caller) => withMemory(service.as(caller)),
    anonymous: (caller) => withMemory(service.anonymous(caller)),
    use: service.use,
    close: service.close,
  };
}
