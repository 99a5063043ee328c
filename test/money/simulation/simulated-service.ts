import type { Effect, PostResult } from '../../../src/gateway/money/engine/change.ts';
import type {
  AmountRejection,
  Rejection,
  ServiceResponse,
} from '../../../src/gateway/money/engine/operation.ts';
import {
  isMovement,
  type MovementKind,
  type Operation,
  type OperationIn,
  type TrailSnapshot,
} from '../../../src/gateway/money/engine/operation.ts';
import { newEntries } from '../../../src/gateway/money/engine/snapshot.ts';
import type { Conditions } from './conditions.ts';
import type { Random } from './random.ts';
import { createTrail, type Trail, type TrailEntry } from './simulated-trail.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A transaction that the service was asked to create; some are declined. */
interface Created {
  readonly id: string;
  readonly at: number;
  /** Its tag: the operation whose POST it was. */
  readonly operation: string;
  readonly successful: boolean;
}

/** A POST that left a gateway. */
export interface SentPost {
  readonly key: string;
  readonly operation: string;
  /** Whether the service, or an intermediary's copy, has applied it. */
  applied: boolean;
  /** Whether the gateway has to take into account that it was applied. */
  mayBeApplied: boolean;
}

/** A payments service without idempotency, behind a network that loses messages. */
export interface SimulatedService {
  read(): Promise<TrailSnapshot>;
  /** Sends a POST. It is among `posts` at once if it leaves the gateway. */
  post(operation: OperationIn<'SENDING'>): Promise<PostResult>;
  findEffect(operation: OperationIn<'UNKNOWN'>): Promise<Effect>;
  /** The transaction as it is at this moment. */
  readNow(): TrailSnapshot;
  /** Applies a movement of another client, if it fits. */
  moveByAnother(kind: MovementKind, amount: number): void;
  /** What is left for a movement. */
  available(kind: MovementKind): number;
  readonly entries: readonly TrailEntry[];
  readonly created: readonly Created[];
  readonly posts: readonly SentPost[];
}

const POST_MS = 10_000;
/** Share of the responses that are lies, where an intermediary lies. */
const LIES = 0.3;
const STALE_MS = 3_000;
/** How long after a conflict another copy of the request may still be applied. */
const CONFLICT_MS = 4_900;
const DECLINED: Rejection = { code: 'PROCESSING_FAILED', message: '', processingError: null };
const OTHER: Rejection = { code: 'UPSTREAM_REJECTED', message: '', details: [] };
const TOO_LARGE: AmountRejection = {
  code: 'AMOUNT_TOO_LARGE',
  message: '',
  maximum: { minorUnits: 0, currency: 'EUR' },
};

const responded = (response: ServiceResponse): PostResult => ({ kind: 'RESPONDED', response });
const ACCEPTED = responded({ kind: 'ACCEPTED' });
const NOT_PROCESSED = responded({ kind: 'RELEASED', reason: { code: 'NOT_SENT', message: '' } });
const REJECTED = responded({ kind: 'REJECTED', rejection: OTHER, conflict: false });
const CONFLICT = responded({
  kind: 'REJECTED',
  rejection: { code: 'CONFLICT', message: '' },
  conflict: true,
});

/** What an intermediary does with a request that it does not simply forward. */
type Lie = 'denied' | 'not applied' | 'in conflict';

/** What a service consists of. */
interface Parts {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly conditions: Conditions;
  readonly trail: Trail;
  readonly created: Created[];
  readonly posts: SentPost[];
}

/** What of the transaction was captured and voided before. */
interface Before {
  readonly captured: number;
  readonly voided: number;
}

/** Creates a service with one transaction of this amount and the other transactions of its merchant. */
export function createSimulatedService(
  time: VirtualTime,
  random: Random,
  conditions: Conditions,
  amount: number,
  { captured, voided }: Before,
): SimulatedService {
  const trail = createTrail(amount, conditions);
  const old = { at: -STALE_MS, operation: undefined, isOld: true };
  if (captured > 0) trail.add('CAPTURE', captured, old);
  if (voided > 0) trail.add('VOID', voided, old);
  const parts: Parts = { time, random, conditions, trail, created: [], posts: [] };
  return {
    read: () => read(parts),
    post: (operation) => post(parts, operation),
    findEffect: (operation) => findEffect(parts, operation),
    readNow: () => trail.toSnapshot(time.now(), time.now(), time.now()),
    moveByAnother: (kind, size) => {
      trail.add(kind, size, { at: time.now(), operation: undefined, isOld: false });
    },
    available: trail.available,
    entries: trail.entries,
    created: parts.created,
    posts: parts.posts,
  };
}

async function travel({ time, random, conditions }: Parts): Promise<void> {
  await time.sleep(random.integer(1, 20));
  if (random.chance(conditions.share)) throw new Error('the read failed');
}

async function read(parts: Parts): Promise<TrailSnapshot> {
  await travel(parts);
  const { time, random, trail } = parts;
  const now = time.now();
  if (!isStale(parts)) return trail.toSnapshot(now, now, now);
  const then = now - random.integer(1, STALE_MS);
  const [trailAt, countersAt] = random.pick([
    [then, then],
    [then, now],
    [now, then],
  ]);
  return trail.toSnapshot(trailAt, countersAt, now);
}

function isStale({ random, conditions }: Parts): boolean {
  return conditions.reliability === 'STALE' && conditions.share > 0 && random.chance(0.4);
}

/** What a snapshot shows to be left for a movement. */
export function availableIn(snapshot: TrailSnapshot, kind: MovementKind): number {
  if (kind !== 'REFUND') return snapshot.pendingAmount;
  const total = (wanted: MovementKind) =>
    snapshot.trail.reduce((sum, entry) => (entry.kind === wanted ? sum + entry.amount : sum), 0);
  return total('CAPTURE') - total('REFUND');
}

async function findEffect(parts: Parts, operation: OperationIn<'UNKNOWN'>): Promise<Effect> {
  if (isMovement(operation)) {
    const now = await read(parts);
    const isTooLarge = operation.amount > availableIn(now, operation.kind);
    return { kind: 'TRAIL', now, tooLarge: isTooLarge ? TOO_LARGE : null };
  }
  await travel(parts);
  const { time, random, created } = parts;
  const until = time.now() - (isStale(parts) ? random.integer(1, STALE_MS) : 0);
  const found = created.find(({ at, operation: tag }) => tag === operation.id && at <= until);
  if (found === undefined) return { kind: 'NOT_FOUND', complete: true, searchPlace: null };
  const { id: transactionId, successful } = found;
  return successful
    ? { kind: 'CREATED', transactionId }
    : { kind: 'DECLINED', transactionId, rejection: DECLINED };
}

async function post(parts: Parts, operation: OperationIn<'SENDING'>): Promise<PostResult> {
  const { time, random, conditions, posts } = parts;
  if (random.chance(conditions.share / 2)) {
    await time.sleep(5);
    return { kind: 'NOT_SENT', reason: { code: 'NOT_SENT', message: '' } };
  }
  const { id, key } = operation;
  const sent: SentPost = { key, operation: id, applied: false, mayBeApplied: true };
  posts.push(sent);
  const fault = random.chance(conditions.share)
    ? random.pick(['lost', 'late', 'unread', 'not processed'])
    : 'none';
  if (fault === 'lost') {
    await time.sleep(POST_MS);
    return { kind: 'AMBIGUOUS' };
  }
  if (fault === 'late') {
    applyLater(parts, operation, sent, random.integer(0, conditions.longestDelayMs));
    await time.sleep(random.integer(1, POST_MS));
    return { kind: 'AMBIGUOUS' };
  }
  await time.sleep(random.integer(1, 30));
  const result = fault === 'not processed' ? deny(sent) : respond(parts, operation, sent);
  await time.sleep(random.integer(1, 30));
  return fault === 'unread' ? { kind: 'AMBIGUOUS' } : result;
}

/** The service does not process the request: 401, 403 or 429. */
function deny(sent: SentPost): PostResult {
  sent.mayBeApplied = false;
  return NOT_PROCESSED;
}

function applyLater(parts: Parts, operation: Operation, sent: SentPost, ms: number): void {
  void parts.time.sleep(ms).then(() => apply(parts, operation, sent));
}

/** What comes back for a POST that reaches the service, or an intermediary that lies. */
function respond(parts: Parts, operation: OperationIn<'SENDING'>, sent: SentPost): PostResult {
  const { random, conditions } = parts;
  const isLie = conditions.reliability === 'LYING' && conditions.share > 0 && random.chance(LIES);
  if (!isLie) return apply(parts, operation, sent);
  switch (random.pick<Lie>(['denied', 'denied', 'not applied', 'in conflict'])) {
    case 'denied':
      // Also what a copy gets that an intermediary sends after the one that was applied.
      apply(parts, operation, sent);
      sent.mayBeApplied = sent.applied;
      return random.pick([NOT_PROCESSED, REJECTED, CONFLICT]);
    case 'not applied':
      return ACCEPTED;
    case 'in conflict':
      applyLater(parts, operation, sent, random.integer(0, CONFLICT_MS));
      return CONFLICT;
  }
}

/** Applies a POST if it fits. Returns the true response. */
function apply(parts: Parts, operation: Operation, sent: SentPost): PostResult {
  const { time, random, conditions, trail, created } = parts;
  const { id, kind, amount } = operation;
  const isAnswered = conditions.answers !== 'NOTHING';
  if (kind === 'CREATE') {
    const successful = random.chance(0.8);
    const transactionId = `transaction ${created.length}`;
    created.push({ id: transactionId, at: time.now(), operation: id, successful });
    sent.applied = successful;
    if (successful) return isAnswered ? { kind: 'APPLIED', transactionId } : ACCEPTED;
    return responded({ kind: 'REJECTED', rejection: DECLINED, conflict: false, transactionId });
  }
  const origin = { at: time.now(), operation: id, isOld: false };
  if (!trail.add(kind, amount, origin)) return random.pick([REJECTED, CONFLICT]);
  sent.applied = true;
  if (!isAnswered || !('snapshot' in operation) || !('trail' in operation.snapshot)) {
    return ACCEPTED;
  }
  const shown = trail.toSnapshot(time.now(), time.now(), time.now()).trail;
  const entries = newEntries(operation, operation.snapshot, shown);
  return entries.length > 0 ? { kind: 'APPLIED', entries } : ACCEPTED;
}
