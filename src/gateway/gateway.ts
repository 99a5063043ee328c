import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createIdentify, identifyByKey } from './access/identity.ts';
import { createCommonLimit, createRateLimit } from './access/rate-limit.ts';
import { createUsersAccess } from './access/users-access.ts';
import { moneyTransitions, storeUses, webhookAttempts } from './channels.ts';
import { copiedLists } from './domain/copied-lists.ts';
import { toTestBody, toWebhookBody } from './domain/event/webhook-body.ts';
import { createEffectFinder, createKeyReporter } from './domain/transaction/money/find-effect.ts';
import { toOutcomeFact } from './domain/transaction/money/outcome-fact.ts';
import { toOwnWrite } from './domain/transaction/money/own-write.ts';
import { noEvents, openEvents } from './events/events.ts';
import { createContext, type Shared } from './execution/create-context.ts';
import { createDocumentRules } from './execution/documents/document-rules.ts';
import {
  createPersistedDocuments,
  type PersistedDocuments,
} from './execution/documents/persisted/persisted-documents.ts';
import { createExecute } from './execution/execute.ts';
import type { Result } from './execution/fast-path.ts';
import { createPipeline } from './execution/pipeline.ts';
import { createServeExport } from './execution/serve-export.ts';
import { createHandler } from './http/handler.ts';
import { defaultHosts } from './http/hosts.ts';
import { watchLoad } from './http/load.ts';
import { schemaDiagram } from './http/pages/diagram/diagram.ts';
import { graphiql } from './http/pages/graphiql/graphiql.ts';
import { type ServePages, servePages } from './http/pages/serve-pages.ts';
import { createServeStatus } from './http/pages/status/status-page.ts';
import { createReadiness } from './http/readiness.ts';
import { createRemembered } from './http/remembered.ts';
import type { Clock } from './money/engine/clock.ts';
import { createMachineClock } from './money/engine/clock.ts';
import { startMaintenance } from './money/maintenance.ts';
import { SLOTS } from './money/parts.ts';
import { createRunner } from './money/runner.ts';
import type { OperationStore } from './money/store/operation-store.ts';
import type { ShownOperations } from './money/store/shown.ts';
import type { StoreWatch } from './money/store/watch-store.ts';
import { createWaitForNew } from './replica/new-merchants.ts';
import { noReplica, openReplica } from './replica/replica.ts';
import type { ReplicaStore } from './replica/store/replica-store.ts';
import { startSync } from './replica/sync-loop.ts';
import { schema } from './schema.ts';
import { hasPages } from './settings/request-settings.ts';
import type { GatewaySettings, ServiceUrls } from './settings/settings.ts';
import type { GatewayState } from './telemetry/gateway-state.ts';
import { readServiceStates } from './telemetry/gateway-state.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { logFailedCalls, logRejectedTokens } from './telemetry/log-failures.ts';
import { createHeldBytes, createUnlimited } from './upstream/allowance.ts';
import type { Resilience } from './upstream/breaker.ts';
import { createEpochs, type Epochs } from './upstream/epochs.ts';
import { openServices } from './upstream/open-services.ts';
import type { RestService } from './upstream/rest-client.ts';
import type { ServiceName } from './upstream/rest-error.ts';
import { startDispatch } from './webhooks/dispatch.ts';
import { createSender } from './webhooks/send.ts';
import { noWebhooks, openWebhooks } from './webhooks/webhooks.ts';

/** The settings of a gateway, its services and its store. */
export interface GatewayOptions extends GatewaySettings {
  readonly services: ServiceUrls;
  /** Stores the money operations. Closed with the gateway. */
  readonly store: OperationStore;
  /** The copy of the merchants' lists, and the key to copy them with. Default: no copy. */
  readonly replica?: GatewayReplica;
  /** Clock of money operations. Default: the machine's. */
  readonly clock?: Clock;
  /** The known documents; required unless `persisted.mode` is `off`. */
  readonly persistedDocuments?: PersistedDocuments;
  /** What requests share. Default: created from `coalesce`. */
  readonly epochs?: Epochs;
  /** The version of the package, for the status page. */
  readonly version?: string;
  /** Whether the services are the sandbox, for the status page. */
  readonly isSandbox?: boolean;
  /** The key to prefill in GraphiQL; only that of the sandbox's demo app. */
  readonly demoKey?: string;
  /** The control interface of the sandbox, for the example in GraphiQL that needs an inbox. */
  readonly controlUrl?: string | undefined;
  /** Logs requests, failed calls and rejected tokens. Default: no log. */
  readonly requestLog?: Log;
  /** Called with errors that are bugs in the gateway. Clients see "Unexpected error." */
  readonly onBug?: (error: unknown) => void;
  /**
   * Called with messages for the operator, such as about a money operation that only they can
   * resolve.
   */
  readonly report?: (message: string) => void;
}

/** What the gateway copies lists with. The store is closed with the gateway. */
export interface GatewayReplica {
  readonly store: ReplicaStore;
  /** The money operations that the copy does not show yet. */
  readonly shown: ShownOperations;
  readonly key: string;
  /** After which an open record is read again, however old it is. Default: no limit. */
  readonly maxPauseSeconds?: number;
}

/** A gateway whose port is not yet open. */
export interface Gateway {
  readonly handle: RequestListener;
  /**
   * Makes every further response close its connection, and `/ready` report that the gateway is
   * stopping.
   *
   * @param isReplaced whether another worker takes its place: then `/ready` stays as it is
   */
  drain(isReplaced: boolean): void;
  /** The state that operators and their programs read. */
  readonly state: GatewayState;
  /** Resumes calls to both services, as if no call had failed. */
  resumeCalls(): void;
  /** Stops periodic work, then closes the connections to the services and the store. */
  close(): Promise<void>;
}

/** Publishes each use of the store, and each state that this process gives a money operation. */
const watchOf = (epochs: Epochs): StoreWatch => ({
  onStoreUse: (use) => {
    if (storeUses.hasSubscribers) storeUses.publish(use);
  },
  onTransition: (transition) => {
    if (moneyTransitions.hasSubscribers) moneyTransitions.publish(transition);
  },
  // Queries that started before, of any caller, may show operations as recorded then.
  onRecord: epochs.raiseAll,
});

/** Creates everything that requests share. */
export function createGateway(options: GatewayOptions): Gateway {
  const persisted = persistedOf(options);
  const { services, store, limits, money, clock = createMachineClock() } = options;
  const report = options.report ?? ((message) => console.error(message));
  const { requestLog: log = createLog('off'), onBug = createLog('error').bug } = options;
  const rejectedTokens = logRejectedTokens(log);
  const epochs = options.epochs ?? createEpochs(options.coalesce);
  const slots = Math.ceil(SLOTS / options.workers);
  const settings = { ...money, postMs: limits.writeMs };
  const runner = createRunner({ store, clock, settings, slots, report, ...watchOf(epochs) });
  const failedCalls = logFailedCalls(log);
  const watchers = { report, onFailure: failedCalls.note, moneyWrites: slots };
  const opened = openServices({ ...options, ...watchers }, epochs);
  const { resilience, resumeCalls, isProven, closeServices, ...connected } = opened;
  const copy = startReplica(options, connected.payments, report);
  const shared: Shared = {
    ...connected,
    noteUnreadable: failedCalls.noteField,
    identify: createIdentify(options.auth, report, rejectedTokens.note),
    usersAccess: createUsersAccess(options.usersAccess, options.usersAccessTtlMs),
    admitKeyless: createCommonLimit(options.rate.keylessPerMinute),
    posUrl: services.posUrl,
    money: runner,
    now: clock.now,
    readsAhead: options.readsAhead,
    maxSearchCalls: options.upstream.maxSearchCalls,
    allowance: allowanceOf(options),
    ...copy.shared,
  };
  const maintenance = startMaintenance(runner, store, money, createFinders(shared, report), report);
  const load = watchLoad(options.load);
  const rate = createRequestLimit(options, isProven, report);
  const flights = epochs.createFlights<Result | undefined>('operation');
  const pipeline = createPipeline(options, { shared, rate, persisted, log, onBug });
  const isStored = createRemembered(runner.isAvailable, true);
  const readiness = createReadiness(breakersOf(resilience), isStored.latest, shared.events.stop);
  const state = {
    activeRequests: () => load.running,
    ...{ countPlans: pipeline.countPlans, countSubscriptions: shared.events.count },
    services: readServiceStates(resilience, connected),
    isStored,
    readiness: readiness.read,
  };
  return {
    state,
    drain: readiness.drain,
    resumeCalls,
    handle: createHandler({ allowedHosts: defaultHosts(options.host), ...options.http }, load, {
      execute: createExecute(pipeline, { fastPath: options.fastPath, flights }),
      serveExport: createServeExport(pipeline, options),
      readiness,
      serveStatus: createStatus(options, state),
      servePage: createPages(options, onBug),
      onBug,
    }),
    close: async () => {
      maintenance.stop();
      await copy.stop();
      load.stop();
      rejectedTokens.stop();
      await runner.close();
      await Promise.all([closeServices(), rate.close()]);
      failedCalls.stop();
      await store.close();
    },
  };
}

/** Starts to copy the lists of the merchants of the gateway's own app. */
function startReplica(
  { replica, sync, isSandbox = false }: GatewayOptions,
  payments: RestService,
  report: (message: string) => void,
): { readonly shared: Pick<Shared, 'replica' | 'events' | 'webhooks'>; stop(): Promise<void> } {
  if (replica === undefined) {
    const shared = { replica: noReplica, events: noEvents, webhooks: noWebhooks };
    return { shared, stop: async () => {} };
  }
  const { store, shown, key, maxPauseSeconds = Number.POSITIVE_INFINITY } = replica;
  const { credential } = identifyByKey(`Bearer ${key}`);
  const allowance = createUnlimited(randomUUID());
  const client = payments.as({
    authorization: credential?.authorization,
    owner: 'sync',
    allowance,
    isBackground: true,
  });
  const running = startSync({
    ...{ store, client, report, lists: copiedLists, maxPauseSeconds },
    callsPerSecond: sync.callsPerSecond,
    keepDays: sync.keepDays,
    listWritten: shown.merchants,
    listWrites: async (merchantId) => (await shown.list(merchantId)).map(toOwnWrite),
    markShown: shown.mark,
    forgetWrites: shown.markAll,
    listOutcomes: async (merchantId, since) =>
      (await shown.listLate(merchantId, since)).map(toOutcomeFact),
  });
  const waitForNew = createWaitForNew(store, running.wake);
  const mayBePrivate = sync.webhooksPrivate ?? isSandbox;
  const dispatch = startDispatch({
    ...{
      store: store.webhooks,
      report,
      keepDays: sync.keepDays,
      toBody: toWebhookBody,
      toTestBody,
    },
    onAttempt: (result) => {
      if (webhookAttempts.hasSubscribers) webhookAttempts.publish({ result });
    },
    sender: createSender(mayBePrivate),
    readEvent: async (merchant, seq) =>
      (await store.readEvents({ merchant, after: seq - 1, before: seq + 1, limit: 1 }))[0],
  });
  return {
    shared: {
      replica: openReplica(store, shown.has, { wake: running.wake, waitForNew, report }),
      events: openEvents(store, sync.maxSubscriptions, waitForNew),
      webhooks: openWebhooks(store.webhooks, mayBePrivate),
    },
    stop: async () => {
      await Promise.all([running.stop(), dispatch.stop()]);
      await store.close();
    },
  };
}

const breakersOf = ({ payments, users }: Readonly<Record<ServiceName, Resilience>>) => ({
  payments: payments.breaker,
  users: users.breaker,
});

/** What each request may use of the services, and what all requests together may hold. */
function allowanceOf({ upstream, deadlineMs }: GatewayOptions): Shared['allowance'] {
  const heldBytes = createHeldBytes(upstream.maxHeldBytes);
  return { ...upstream.allowance, deadlineMs, heldBytes };
}

/** Creates effect finders for money operations that use the operator's key. */
function createFinders(shared: Shared, report: (message: string) => void) {
  const reportWrongKey = createKeyReporter(report);
  return (key: string) => {
    const identity = identifyByKey(`Bearer ${key}`);
    const context = createContext(shared, identity, createUnlimited(randomUUID()));
    return reportWrongKey(createEffectFinder(context.transactions));
  };
}

/** Serves `/`; undefined if the settings turn it off. */
function createStatus(options: GatewayOptions, state: GatewayState) {
  const { production, statusPage = !production, services, version = '' } = options;
  if (!statusPage) return undefined;
  const { usersUrl: users, paymentsUrl: payments, posUrl: pos } = services;
  return createServeStatus(
    {
      version,
      services: { users, payments, pos },
      isSandbox: options.isSandbox ?? false,
      hasPages: hasPages(options),
      started: new Date(),
    },
    state,
  );
}

/** The rate limit of each caller. */
function createRequestLimit(
  { rate, money }: GatewayOptions,
  isProven: (owner: string) => boolean,
  report: (message: string) => void,
) {
  // Only one process uses an embedded database.
  const { databaseUrl } = money;
  return createRateLimit({ perMinute: rate.pointsPerMinute, isProven, databaseUrl, report });
}

/** The known documents. Throws if they should have been loaded and were not. */
function persistedOf({ persistedDocuments, ...settings }: GatewayOptions): PersistedDocuments {
  if (persistedDocuments !== undefined) return persistedDocuments;
  if (settings.persisted.mode !== 'off') throw new TypeError('The known documents are not loaded.');
  return createPersistedDocuments(settings.persisted, createDocumentRules(settings));
}

/** GraphiQL, if it is enabled, and the diagram of the schema. */
function createPages(
  { demoKey, controlUrl, auth, ...settings }: GatewayOptions,
  onBug: (error: unknown) => void,
) {
  const pages = hasPages(settings)
    ? [graphiql({ demoKey, controlUrl, tokens: auth.mode === 'jwt' }), schemaDiagram(schema)]
    : [];
  const served = pages.map((page) => servePages(page, onBug));
  return (...[request, response, path]: Parameters<ServePages>) =>
    served.some((serve) => serve(request, response, path));
}
