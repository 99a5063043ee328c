import type { Effect, PostResult } from '../../../src/gateway/operation/machine.ts';
import type {
  Creation,
  Movement,
  MovementKind,
  Operation,
  OperationIn,
} from '../../../src/gateway/operation/operation.ts';
import type { Rejection } from '../../../src/gateway/operation/rejection.ts';
import {
  candidateEntries,
  type SnapshotEntry,
  type TrailSnapshot,
} from '../../../src/gateway/operation/snapshot.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What goes wrong in one run. */
export interface Faults {
  /** Share of the steps in which something goes wrong; zero at the end of a run. */
  share: number;
  /** Whether reads may show an earlier state. */
  readonly staleReads: boolean;
  /** How long a POST may take to reach the service. */
  readonly longestDelayMs: number;
  /** How long a process may be suspended. */
  readonly longestPauseMs: number;
}

/** What the service has recorded because of an operation, or of another client. */
export interface Recorded {
  /** The operation whose POST it was; undefined for another client. */
  readonly operation: string | undefined;
}

/** A POST that may have left a gateway. */
export interface SentPost {
  readonly operation: string;
  /** Whether the service has applied it. */
  readonly applied: boolean;
}

/** A payments service without idempotency, behind a network that loses messages. */
export interface SimulatedService {
  read(): Promise<TrailSnapshot>;
  post(operation: Operation): Promise<PostResult>;
  findEffect(operation: OperationIn<'UNKNOWN'>): Promise<Effect>;
  /** Applies a movement of another client, if it fits. */
  moveByAnother(kind: MovementKind, amount: number): void;
  /** Whether a movement of this amount is possible at the moment. */
  fits(kind: MovementKind, amount: number): boolean;
  /** Entries of the trail, and transactions that were created and not declined. */
  recorded(): readonly Recorded[];
  readonly posts: readonly SentPost[];
}

const POST_MS = 10_000;
const STALE_MS = 3_000;
const DECLINED: Rejection = { code: 'PROCESSING_FAILED', message: '', processingError: null };
const REJECTED: Rejection = { code: 'CONFLICT', message: '' };

/** What a service consists of. */
interface Parts {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly faults: Faults;
  readonly trail: Trail;
  readonly created: TransactionList;
  readonly posts: { operation: string; applied: boolean }[];
}

/**
 * Creates a service with one transaction of this amount and the other transactions of its
 * merchant. Something of the transaction may be captured already.
 */
export function createSimulatedService(
  time: VirtualTime,
  random: Random,
  faults: Faults,
  amount: number,
  captured: number,
): SimulatedService {
  const trail = createTrail(amount, captured);
  const created = createTransactionList(time, random);
  const parts: Parts = { time, random, faults, trail, created, posts: [] };
  return {
    read: () => read(parts),
    post: (operation) => post(parts, operation),
    findEffect: (operation) =>
      operation.kind === 'CREATE' ? findCreated(parts, operation) : findEntries(parts, operation),
    moveByAnother: (kind, size) => void trail.add(kind, size, time.now(), undefined),
    fits: trail.fits,
    recorded: () => [...trail.entries, ...created.all.filter(({ successful }) => successful)],
    posts: parts.posts,
  };
}

async function travel({ time, random, faults }: Parts): Promise<void> {
  await time.sleep(random.integer(1, 20));
  if (random.chance(faults.share)) throw new Error('the read failed');
}

/** What a read shows of a list. */
function visible<T extends { readonly at: number }>(parts: Parts, all: readonly T[]): T[] {
  const { time, random, faults } = parts;
  const isStale = faults.staleReads && faults.share > 0 && random.chance(0.3);
  const until = isStale ? time.now() - random.integer(1, STALE_MS) : time.now();
  return all.filter(({ at }) => at <= until);
}

async function read(parts: Parts): Promise<TrailSnapshot> {
  await travel(parts);
  return parts.trail.toSnapshot(visible(parts, parts.trail.entries));
}

async function findEntries(
  parts: Parts,
  operation: Movement & OperationIn<'UNKNOWN'>,
): Promise<Effect> {
  const { trail } = await read(parts);
  return { kind: 'ENTRIES', entries: candidateEntries(operation, operation.snapshot, trail) };
}

async function findCreated(parts: Parts, { id }: Creation): Promise<Effect> {
  await travel(parts);
  const found = visible(parts, parts.created.all).find(({ operation }) => operation === id);
  if (found === undefined) return { kind: 'ABSENT' };
  const { id: transactionId, successful } = found;
  return successful
    ? { kind: 'CREATED', transactionId }
    : { kind: 'DECLINED', transactionId, rejection: DECLINED };
}

async function post(parts: Parts, operation: Operation): Promise<PostResult> {
  const { time, random, faults, posts } = parts;
  if (random.chance(faults.share / 2)) {
    await time.sleep(5);
    return { kind: 'NOT_SENT', reason: { code: 'NOT_SENT', message: '' } };
  }
  const sent = { operation: operation.id, applied: false };
  posts.push(sent);
  const deliver = (): PostResult => {
    const result = apply(parts, operation);
    sent.applied = result.kind === 'APPLIED';
    return result;
  };
  const fault = random.chance(faults.share) ? random.pick(['lost', 'late', 'unread']) : 'none';
  if (fault === 'lost') {
    await time.sleep(POST_MS);
    return { kind: 'AMBIGUOUS' };
  }
  if (fault === 'late') {
    void time.sleep(random.integer(0, faults.longestDelayMs)).then(deliver);
    await time.sleep(random.integer(1, POST_MS));
    return { kind: 'AMBIGUOUS' };
  }
  await time.sleep(random.integer(1, 30));
  const result = deliver();
  await time.sleep(random.integer(1, 30));
  return fault === 'unread' ? { kind: 'AMBIGUOUS' } : result;
}

function apply({ time, trail, created }: Parts, operation: Operation): PostResult {
  const { id, kind, amount } = operation;
  if (kind === 'CREATE') return created.add(id);
  return trail.add(kind, amount, time.now(), id)
    ? { kind: 'APPLIED' }
    : { kind: 'REJECTED', rejection: REJECTED };
}

/** The transactions of a merchant, each with the tag of its operation; some are declined. */
interface TransactionList {
  readonly all: readonly Created[];
  add(operation: string): PostResult;
}

/** A transaction that the service was asked to create. */
interface Created extends Recorded {
  readonly id: string;
  readonly at: number;
  readonly operation: string;
  readonly successful: boolean;
}

function createTransactionList(time: VirtualTime, random: Random): TransactionList {
  const all: Created[] = [];
  return {
    all,
    add: (operation) => {
      const successful = random.chance(0.8);
      const id = `transaction ${all.length}`;
      all.push({ id, at: time.now(), operation, successful });
      return successful
        ? { kind: 'APPLIED', transactionId: id }
        : { kind: 'REJECTED', rejection: DECLINED, transactionId: id };
    },
  };
}

interface TrailEntry extends SnapshotEntry, Recorded {
  readonly at: number;
}

/** The trail of one transaction, with the limits of the service. */
interface Trail {
  readonly entries: readonly TrailEntry[];
  /** Adds an entry if it fits; whether it did. */
  add(kind: MovementKind, amount: number, at: number, operation: string | undefined): boolean;
  fits(kind: MovementKind, amount: number): boolean;
  toSnapshot(shown: readonly SnapshotEntry[]): TrailSnapshot;
}

function createTrail(amount: number, captured: number): Trail {
  const entries: TrailEntry[] = [];

  function total(kind: MovementKind, trail: readonly SnapshotEntry[] = entries): number {
    return trail.reduce((sum, entry) => (entry.kind === kind ? sum + entry.amount : sum), 0);
  }
  function fits(kind: MovementKind, size: number): boolean {
    const pending = amount - total('CAPTURE') - total('VOID');
    return size <= (kind === 'REFUND' ? total('CAPTURE') - total('REFUND') : pending);
  }
  function add(kind: MovementKind, size: number, at: number, operation: string | undefined) {
    if (!fits(kind, size)) return false;
    entries.push({ ref: `entry ${entries.length}`, kind, amount: size, at, operation });
    return true;
  }
  if (captured > 0) add('CAPTURE', captured, 0, undefined);
  return {
    entries,
    fits,
    add,
    toSnapshot: (shown) => ({
      amount,
      pendingAmount: amount - total('CAPTURE', shown) - total('VOID', shown),
      trail: shown,
    }),
  };
}
