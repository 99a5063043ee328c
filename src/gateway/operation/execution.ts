import type { Attempt, Verdict, Viewer } from './attempt.ts';
import type { Clock } from './clock.ts';
import { afterPost, afterReadBack, type Change } from './machine.ts';
import type { Operation } from './operation.ts';
import type { OperationStore } from './store/operation-store.ts';

/** Settings of what is sent and presumed. */
export interface ExecutionSettings {
  /** Whether a second POST may be sent where two cannot both apply. */
  readonly guardedRepost: boolean;
  /** How long one POST may take. */
  readonly postMs: number;
  /** How long the service may take to apply what it was sent; unset: for ever. */
  readonly maxProcessingMs?: number | undefined;
}

/** What a runner is made of. */
export interface Parts {
  readonly store: OperationStore;
  readonly clock: Clock;
  readonly settings: ExecutionSettings;
  /** Told what an operator should know; without key, amount or credential. */
  readonly report: (message: string) => void;
}

/** Pauses before the pictures that are taken until one is new enough. */
const PICTURES_MS = [0, 200, 1_000];
/** Pauses before the looks that follow an ambiguous answer. */
const LOOKS_MS = [0, 200, 1_000, 5_000];

/** The steps of one operation, from its claim to its end. Throws what the store throws. */
export function createExecution({ store, clock, settings, report }: Parts) {
  /** Sends a claimed operation and follows it until it is known or the caller's time is up. */
  async function execute<F>(
    claimed: Operation,
    attempt: Attempt<F>,
    deadline: number,
  ): Promise<Verdict<F>> {
    const giveBack = () => store.record(claimed, { to: 'REMOVED' });
    const prepared = await prepare(claimed, attempt);
    if (prepared === undefined || 'refusal' in prepared) {
      await giveBack();
      return prepared === undefined ? { kind: 'NOT_SENT' } : { kind: 'REFUSED', ...prepared };
    }
    const { before } = prepared;
    const sending = await store.startSending(claimed, before).catch(async (error) => {
      // It may have been written all the same; nothing was sent, so nothing is kept.
      await giveBack().catch(() => {});
      throw error;
    });
    if (sending === undefined) return { kind: 'NOT_SENT' };
    const result = await attempt.post(sending);
    const now = await keep(sending, afterPost(1, result));
    if (result.kind === 'NOT_SENT') return { kind: 'NOT_SENT', refusal: result.refusal };
    const operation = await follow(now ?? sending, attempt, deadline);
    return { kind: 'OPERATION', operation, replayed: false };
  }

  /**
   * Takes the picture before the POST. A picture that lacks what is known to be there is an
   * old one: by it, an earlier operation's entry would later pass for this one's.
   */
  async function prepare<F>(
    claimed: Operation,
    attempt: Attempt<F>,
  ): Promise<Awaited<ReturnType<Attempt<F>['prepare']>> | undefined> {
    const known = claimed.lane === null ? 0 : await store.countSucceeded(claimed);
    for (const wait of PICTURES_MS) {
      await clock.sleep(wait);
      const prepared = await attempt.prepare().catch(() => undefined);
      if (prepared === undefined || 'refusal' in prepared) return prepared;
      const alike = prepared.before.trail.filter(
        ({ kind, amount }) => kind === claimed.kind && amount === claimed.amount,
      );
      if (alike.length >= known) return prepared;
    }
    report(
      `money operation ${claimed.id} was not sent: an entry that is known to be there is not shown`,
    );
    return undefined;
  }

  /** Follows an operation whose outcome is unknown for a caller who repeats its key. */
  async function resume<F>(
    unknown: Operation,
    attempt: Attempt<F>,
    deadline: number,
    mayPost: boolean,
  ): Promise<Verdict<F>> {
    const change = await decide(unknown, attempt, mayPost);
    if (change?.to !== 'SENDING') {
      const operation = change === undefined ? unknown : await settle(unknown, change);
      return { kind: 'OPERATION', operation, replayed: true };
    }
    const sending = await store.repost(unknown);
    if (sending === undefined) {
      const { merchantId, key } = unknown;
      const operation = (await store.find(merchantId, key)) ?? unknown;
      return { kind: 'OPERATION', operation, replayed: true };
    }
    const result = await attempt.post(sending);
    const now = await keep(sending, afterPost(2, result));
    const operation = await follow(now ?? sending, attempt, deadline);
    return { kind: 'OPERATION', operation, replayed: false };
  }

  /** Looks at an operation without repeating it; answers how it stands then. */
  async function revisit(operation: Operation, viewer: Viewer): Promise<Operation> {
    if (operation.state !== 'UNKNOWN') return operation;
    const change = await decide(operation, viewer, false);
    return change === undefined ? operation : settle(operation, change);
  }

  async function follow(
    operation: Operation,
    viewer: Viewer,
    deadline: number,
  ): Promise<Operation> {
    let latest = operation;
    for (const wait of LOOKS_MS) {
      if (latest.state !== 'UNKNOWN' || latest.needsOperator) return latest;
      if (clock.now() + wait > deadline) return latest;
      await clock.sleep(wait);
      latest = await revisit(latest, viewer).catch(() => latest);
    }
    return latest;
  }

  /** What a look at the service says of an unknown outcome; undefined when it cannot be seen. */
  async function decide(
    operation: Operation,
    viewer: Viewer,
    repeated: boolean,
  ): Promise<Change | undefined> {
    if (operation.needsOperator) return undefined;
    const { maxProcessingMs, postMs, guardedRepost } = settings;
    const tooLate =
      maxProcessingMs !== undefined && (operation.sinceSendingMs ?? 0) > postMs + maxProcessingMs;
    let finding: Awaited<ReturnType<Viewer['look']>>;
    try {
      finding = await viewer.look(operation);
    } catch {
      return undefined;
    }
    if (finding.kind === 'ENTRIES') {
      const taken = await store.claimedEntries(finding.entries.map(({ ref }) => ref));
      finding = { ...finding, entries: finding.entries.filter(({ ref }) => !taken.has(ref)) };
    }
    return afterReadBack(operation, finding, { repeated, guardedRepost, tooLate });
  }

  async function settle(operation: Operation, change: Change): Promise<Operation> {
    if (change.to === 'UNKNOWN' && change.needsOperator !== true) return operation;
    if (change.to === 'UNKNOWN') report(`money operation ${operation.id} needs an operator`);
    return (await store.record(operation, change)) ?? operation;
  }

  /**
   * Records what a POST led to. A store that fails now changes nothing about what happened:
   * a success is told as such, whatever is recorded; anything else is unknown until the
   * store says more.
   */
  async function keep(sending: Operation, change: Change): Promise<Operation | undefined> {
    const done = change.to === 'SUCCEEDED' ? succeeded(sending, change) : undefined;
    try {
      const now = await store.record(sending, change);
      if (done === undefined || now?.state === 'SUCCEEDED') return now;
      report(`money operation ${sending.id} was done, and is recorded as ${now?.state}`);
      return done;
    } catch {
      report(`the outcome of money operation ${sending.id} could not be recorded: ${change.to}`);
      return done ?? sending;
    }
  }

  function succeeded(
    sending: Operation,
    { evidence, transactionId }: Change & { to: 'SUCCEEDED' },
  ): Operation {
    return {
      ...sending,
      state: 'SUCCEEDED',
      evidence,
      transactionId: transactionId ?? sending.transactionId,
      resolvedAt: new Date(clock.now()),
    };
  }

  return { execute, resume, revisit };
}
