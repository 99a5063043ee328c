import type { Attempt } from '../../../src/gateway/money/attempt.ts';
import type { Effect } from '../../../src/gateway/money/engine/change.ts';
import { canNeverApply } from '../../../src/gateway/money/engine/guard.ts';
import type { TrailSnapshot } from '../../../src/gateway/money/engine/operation.ts';
import {
  isMovement,
  type MovementKind,
  type Operation,
} from '../../../src/gateway/money/engine/operation.ts';
import type { OperationStore } from '../../../src/gateway/money/store/operation-store.ts';
import type { Conditions } from './conditions.ts';

/** Makes the simulated gateways wrong, to prove that the simulation notices. */
export interface Flaw {
  /** Conditions under which the flaw often matters. */
  readonly conditions?: Partial<Conditions>;
  attempt?(attempt: Attempt<string>): Attempt<string>;
  /** @param readNow the transaction as it is */
  store?(store: OperationStore, readNow: () => TrailSnapshot): OperationStore;
}

/** A flaw in what a gateway learns from a read of the service. */
function misreading(
  change: (effect: Effect, operation: Operation) => Effect,
  conditions: Partial<Conditions> = {},
): Flaw {
  return {
    conditions,
    attempt: (attempt) => ({
      ...attempt,
      findEffect: async (operation) => change(await attempt.findEffect(operation), operation),
    }),
  };
}

function nothingNew(effect: Effect, operation: Operation): Effect {
  if (!isMovement(operation)) return { kind: 'NOT_FOUND', complete: true, searchPlace: null };
  if (effect.kind !== 'TRAIL' || operation.state !== 'UNKNOWN') return effect;
  return { ...effect, now: operation.snapshot };
}

/** Reads never show the effect of an operation. */
export const findsNothing = misreading(nothingNew);

/** A rejection, or a response that the request was not processed, is believed at once (A1). */
export const believesDenials = misreading((effect, operation) =>
  isDenied(operation) ? nothingNew(effect, operation) : effect,
);

function isDenied(operation: Operation): boolean {
  const response = operation.state === 'UNKNOWN' ? operation.response?.kind : undefined;
  return response === 'REJECTED' || response === 'RELEASED';
}

/** Any 2xx is believed (A2). */
export const believesEmptySuccess: Flaw = {
  conditions: { reliability: 'LYING' },
  attempt: (attempt) => ({
    ...attempt,
    post: async (operation) => {
      const result = await attempt.post(operation);
      const isEmpty = result.kind === 'RESPONDED' && result.response.kind === 'ACCEPTED';
      return isEmpty ? { kind: 'APPLIED' } : result;
    },
  }),
};

/** No success claims its entry, and a snapshot may be older than a success (A3). */
export const claimsNothing: Flaw = {
  conditions: { reliability: 'STALE', isBounded: false, hasIdenticalClient: false },
  store: (store) => ({
    ...store,
    knownEntries: async () => ({ claimed: [], seen: [] }),
    listSucceeded: async () => [],
    startSending: (operation, snapshot) => store.startSending(operation, snapshot, false),
    record: (operation, change) => {
      if (change.to !== 'SUCCEEDED') return store.record(operation, change);
      const { entry: _entry, seen: _seen, ...bare } = change;
      return store.record(operation, bare);
    },
  }),
};

/** The exhaustion does not notice the operation's own entry (A4). */
export const exhaustsOverOwnEntry = misreading((effect, operation) => {
  const { kind, amount } = operation;
  if (effect.kind !== 'TRAIL' || kind === 'CREATE' || isDenied(operation)) return effect;
  // The same totals, but no entry of this amount.
  const trail = effect.now.trail.flatMap((entry) =>
    entry.kind === kind && entry.amount === amount
      ? [
          { ...entry, amount: amount - 1 },
          { ...entry, amount: 1, line: null, properties: `rest of ${entry.properties}` },
        ]
      : [entry],
  );
  const now = { ...effect.now, trail };
  return canNeverApply(kind, amount, now) ? { ...effect, now } : effect;
});

/** The exhaustion does not compare the counters with the trail (A4). */
export const exhaustsWithoutCounters = misreading(
  (effect) => (effect.kind === 'TRAIL' ? { ...effect, now: withCounters(effect.now) } : effect),
  { countsVoids: false },
);

/** A snapshot whose counters agree with its trail. */
function withCounters(snapshot: TrailSnapshot): TrailSnapshot {
  const { amount, trail } = snapshot;
  const sum = (kind: MovementKind) =>
    trail.reduce((total, entry) => (entry.kind === kind ? total + entry.amount : total), 0);
  const [captured, refunded, voided] = [sum('CAPTURE'), sum('REFUND'), sum('VOID')];
  return {
    ...snapshot,
    pendingAmount: amount - captured - voided,
    capturedAmount: captured,
    refundedAmount: refunded,
    voidedAmount: voided,
  };
}

/** The two ways in which a store shows the operation of a known key, with a flaw in what it shows. */
function showing(
  store: OperationStore,
  change: (operation: Operation) => Operation,
): Pick<OperationStore, 'find' | 'claim'> {
  return {
    find: async (merchantId, key) => {
      const operation = await store.find(merchantId, key);
      return operation && change(operation);
    },
    claim: async (...args) => {
      const claim = await store.claim(...args);
      return claim.kind === 'KNOWN' ? { ...claim, operation: change(claim.operation) } : claim;
    },
  };
}

/** The end of a lease keeps what the service responded to an earlier POST. */
export const keepsResponse: Flaw = {
  conditions: { share: 0.4, isBounded: false },
  store: (store) => {
    const responses = new Map<string, Operation & { readonly state: 'UNKNOWN' }>();
    const withResponse = (operation: Operation): Operation => {
      const before = responses.get(operation.id);
      return before !== undefined && operation.state === 'UNKNOWN' && operation.response === null
        ? { ...operation, response: before.response }
        : operation;
    };
    return {
      ...store,
      retake: async (operation) => {
        const retaken = await store.retake(operation);
        if (retaken.kind === 'TAKEN') responses.set(operation.id, retaken.operation);
        return retaken;
      },
      ...showing(store, withResponse),
    };
  },
};

/** A repeat of an operation that was not processed starts from a new snapshot. */
export const forgetsFirstSnapshot: Flaw = {
  conditions: { reliability: 'LYING', share: 0.2, hasOtherClient: false },
  store: (store, readNow) => ({
    ...store,
    ...showing(store, (operation) => {
      const isForgotten =
        operation.state === 'UNKNOWN' &&
        isMovement(operation) &&
        operation.response?.kind === 'RELEASED';
      return isForgotten ? { ...operation, snapshot: readNow() } : operation;
    }),
  }),
};

/** A conflict is believed before what caused it can be seen. */
export const believesConflicts: Flaw = {
  store: (store) => ({
    ...store,
    record: async (operation, change) => {
      const now = await store.record(operation, change);
      return now?.state === 'UNKNOWN' ? { ...now, sinceResponseMs: 5_000 } : now;
    },
  }),
};

/** The clock of the store follows the wall clock of the database (A7). */
export const believesWallClock: Flaw = {
  store: (store) => ({
    ...store,
    sweep: (given) => store.sweep({ ...given, ownMs: Number.POSITIVE_INFINITY }),
  }),
};

/** The guard allows every second POST of a movement. */
export const guardsNothing: Flaw = {
  conditions: { share: 0.4 },
  store: (store) => ({
    ...store,
    ...showing(store, (operation) => {
      const isOpen = operation.state === 'UNKNOWN' && isMovement(operation);
      return isOpen ? { ...operation, snapshot: withoutLimits(operation.snapshot) } : operation;
    }),
  }),
};

/** A snapshot from which the guard concludes that no movement can apply twice. */
function withoutLimits(snapshot: TrailSnapshot): TrailSnapshot {
  const used = snapshot.amount - snapshot.pendingAmount;
  return { ...snapshot, amount: 0, pendingAmount: -used };
}

/**
 * What makes fewer operations stay UNKNOWN is missing: exhaustion (A4), a lock for each kind of
 * movement (A5), and giving back a repost that was not processed (A6). This breaks no guarantee.
 */
export const withoutRelief: Flaw = {
  attempt: (attempt) => {
    const { intent } = attempt;
    if (intent.kind === 'CREATE') return attempt;
    return { ...attempt, intent: { ...intent, lockKey: intent.transactionId } };
  },
  store: (store) => ({
    ...store,
    record: (operation, change) => {
      if (change.to === 'NOT_APPLIED' && change.evidence === 'PROVEN') {
        return store.record(operation, { to: 'UNKNOWN' });
      }
      if (change.to !== 'UNKNOWN') return store.record(operation, change);
      const { posts: _posts, ...rest } = change;
      return store.record(operation, rest);
    },
  }),
};
