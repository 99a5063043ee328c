import type { Effect, PostResult } from '../../src/gateway/operation/machine.ts';
import type {
  Creation,
  Movement,
  MovementKind,
  Operation,
  OperationIn,
} from '../../src/gateway/operation/operation.ts';
import type { Rejection } from '../../src/gateway/operation/rejection.ts';
import {
  candidateEntries,
  type SnapshotEntry,
  type TrailSnapshot,
} from '../../src/gateway/operation/snapshot.ts';
import type { Random, VirtualTime } from './virtual-time.ts';

/** An entry of the simulated ledger, with the operation whose POST made it. */
interface Entry extends SnapshotEntry {
  readonly at: number;
  /** Undefined for somebody else's. */
  readonly operation: string | undefined;
}

/** A payment that the simulated service was asked to create, with the tag it came with. */
interface Payment {
  readonly id: string;
  readonly at: number;
  readonly operation: string;
  readonly successful: boolean;
}

/** How the world behaves in one run. */
export interface Weather {
  /** Share of steps in which something goes wrong. */
  faults: number;
  /** Whether reads may show what was true a moment ago. */
  readonly staleReads: boolean;
  /** How long a POST may lie about before it applies. */
  readonly longestDelayMs: number;
  /** How long a process may stand still. */
  readonly longestPauseMs: number;
}

const POST_MS = 10_000;
const STALE_MS = 3_000;
const DECLINED: Rejection = { code: 'PROCESSING_FAILED', message: '', processingError: null };
const REJECTED: Rejection = { code: 'CONFLICT', message: '' };

/** One transaction, and the payments of its merchant, of a service that has no idempotency, behind a network that loses things. */
export function createSimulatedService(
  time: VirtualTime,
  random: Random,
  weather: Weather,
  amount: number,
  captured: number,
) {
  const entries: Entry[] = [];
  const payments: Payment[] = [];
  const posts: { operation: string; applied: boolean }[] = [];
  if (captured > 0) add('CAPTURE', captured, undefined);

  function add(kind: MovementKind, size: number, operation: string | undefined): void {
    entries.push({ ref: `entry ${entries.length}`, kind, amount: size, at: time.now(), operation });
  }

  function total(kind: MovementKind, trail: readonly SnapshotEntry[] = entries): number {
    return trail.reduce((sum, entry) => (entry.kind === kind ? sum + entry.amount : sum), 0);
  }

  function fits(kind: MovementKind, size: number): boolean {
    const pending = amount - total('CAPTURE') - total('VOID');
    const left = kind === 'REFUND' ? total('CAPTURE') - total('REFUND') : pending;
    return size <= left;
  }

  /** Applies a movement if it fits, all at once. */
  function apply(kind: MovementKind, size: number, operation: string | undefined): boolean {
    if (!fits(kind, size)) return false;
    add(kind, size, operation);
    return true;
  }

  /** Creates a payment, and declines it now and then; it is kept all the same. */
  function pay(operation: string): boolean {
    const successful = random.chance(0.8);
    payments.push({ id: `payment ${payments.length}`, at: time.now(), operation, successful });
    return successful;
  }

  /** Which of these a read shows. */
  function visible<T extends { readonly at: number }>(all: readonly T[]): T[] {
    const stale = weather.staleReads && weather.faults > 0 && random.chance(0.3);
    const until = stale ? time.now() - random.integer(1, STALE_MS) : time.now();
    return all.filter(({ at }) => at <= until);
  }

  async function travel(): Promise<void> {
    await time.sleep(random.integer(1, 20));
    if (random.chance(weather.faults)) throw new Error('the read failed');
  }

  async function read(): Promise<TrailSnapshot> {
    await travel();
    const trail = visible(entries);
    const pendingAmount = amount - total('CAPTURE', trail) - total('VOID', trail);
    return { amount, pendingAmount, trail };
  }

  /** Looks for the payment that carries the operation's tag. */
  async function findPayment({ id }: Creation): Promise<Effect> {
    await travel();
    const found = visible(payments).find(({ operation }) => operation === id);
    if (found === undefined) return { kind: 'ABSENT' };
    const { id: transactionId, successful } = found;
    return successful
      ? { kind: 'CREATED', transactionId }
      : { kind: 'DECLINED', transactionId, rejection: DECLINED };
  }

  async function findEntries(operation: Movement & OperationIn<'UNKNOWN'>): Promise<Effect> {
    const { trail } = await read();
    return { kind: 'ENTRIES', entries: candidateEntries(operation, operation.snapshot, trail) };
  }

  async function post(operation: Operation): Promise<PostResult> {
    const { id, kind, amount: size } = operation;
    const sent = { operation: id, applied: false };
    const deliver = () => {
      sent.applied = kind === 'CREATE' ? pay(id) : apply(kind, size, id);
      return sent.applied;
    };
    if (random.chance(weather.faults / 2)) {
      await time.sleep(5);
      return { kind: 'NOT_SENT', reason: { code: 'NOT_SENT', message: '' } };
    }
    posts.push(sent);
    const fault = random.chance(weather.faults) ? random.pick(['lost', 'late', 'unread']) : 'none';
    if (fault === 'lost') {
      await time.sleep(POST_MS);
      return { kind: 'AMBIGUOUS' };
    }
    if (fault === 'late') {
      void time.sleep(random.integer(0, weather.longestDelayMs)).then(deliver);
      await time.sleep(random.integer(1, POST_MS));
      return { kind: 'AMBIGUOUS' };
    }
    await time.sleep(random.integer(1, 30));
    const applied = deliver();
    await time.sleep(random.integer(1, 30));
    if (fault === 'unread') return { kind: 'AMBIGUOUS' };
    if (kind !== 'CREATE') {
      return applied ? { kind: 'APPLIED' } : { kind: 'REJECTED', rejection: REJECTED };
    }
    const { id: transactionId } = payments.findLast(({ operation: of }) => of === id) as Payment;
    return applied
      ? { kind: 'APPLIED', transactionId }
      : { kind: 'REJECTED', rejection: DECLINED, transactionId };
  }

  return {
    read,
    post,
    findEffect: (operation: OperationIn<'UNKNOWN'>) =>
      operation.kind === 'CREATE' ? findPayment(operation) : findEntries(operation),
    /** Somebody else, who does the same at the same time. */
    outside: (kind: MovementKind, size: number) => apply(kind, size, undefined),
    fits,
    /** What is in the books: entries of the trail, and payments that were not declined. */
    done: (): readonly Pick<Entry, 'operation'>[] => [
      ...entries,
      ...payments.filter(({ successful }) => successful),
    ],
    posts: posts as readonly { readonly operation: string; readonly applied: boolean }[],
  };
}

export type SimulatedService = ReturnType<typeof createSimulatedService>;
