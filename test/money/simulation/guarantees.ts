import type { Verdict } from '../../../src/gateway/money/attempt.ts';
import { isMovement, type Operation } from '../../../src/gateway/money/engine/operation.ts';
import type { Caller } from './callers.ts';
import type { Conditions } from './conditions.ts';
import type { SimulatedService } from './simulated-service.ts';

/** What one request of a caller returned. */
export interface Returned {
  readonly key: string;
  readonly verdict: Verdict<string>;
  /** Indexes of the POSTs that this request sent, among those of the service. */
  readonly sent: readonly number[];
}

/** A finished run. */
export interface FinishedRun {
  readonly conditions: Conditions;
  readonly service: SimulatedService;
  readonly callers: readonly Caller[];
  readonly operations: readonly Operation[];
  readonly returned: readonly Returned[];
}

/** How a run broke the guarantees; empty if it kept all of them. */
export function findViolations(run: FinishedRun): string[] {
  const { callers, operations, returned } = run;
  return [
    ...callers.flatMap((caller) => checkCaller(caller, run)),
    ...callers.flatMap((caller) => checkSuccesses(caller, run)),
    ...operations.flatMap((operation) => checkOperation(operation, run)),
    ...returned.flatMap((each) => checkReturned(each, run)),
    ...checkRows(run),
  ];
}

/** The texts of the checks that are not met. */
function violations(checks: readonly (readonly [isMet: boolean, text: string])[]): string[] {
  return checks.filter(([isMet]) => !isMet).map(([, text]) => text);
}

/** How often the service has applied the requests with a key, by what it has recorded. */
function countApplied(key: string, { service }: FinishedRun): number {
  const ids = new Set(
    service.posts.filter((post) => post.key === key).map((post) => post.operation),
  );
  const isOwn = ({ operation }: { readonly operation: string | undefined }) =>
    operation !== undefined && ids.has(operation);
  const created = service.created.filter(({ successful }) => successful);
  return service.entries.filter(isOwn).length + created.filter(isOwn).length;
}

function countPosts(key: string, { service }: FinishedRun): number {
  return service.posts.filter((post) => post.key === key && post.mayBeApplied).length;
}

function checkCaller({ key, kind }: Caller, run: FinishedRun): string[] {
  const [applied, posts] = [countApplied(key, run), countPosts(key, run)];
  const most = kind === 'CREATE' ? 1 : 2;
  return violations([
    [applied <= 1, `${key} was applied ${applied} times`],
    [posts <= most, `${key} was sent by ${posts} POSTs that may have been applied`],
  ]);
}

/** Whether a caller was told, or the store has recorded, that an operation succeeded. */
function hasSucceeded({ key }: Caller, { operations, returned }: FinishedRun): boolean {
  return (
    operations.some((operation) => operation.key === key && operation.state === 'SUCCEEDED') ||
    returned.some(
      ({ key: of, verdict }) =>
        of === key && verdict.kind === 'OPERATION' && verdict.operation.state === 'SUCCEEDED',
    )
  );
}

/**
 * More successes than new entries of a kind and amount are false. Where nobody else makes the
 * same movement, each success has an entry of its own.
 */
function checkSuccesses(caller: Caller, run: FinishedRun): string[] {
  if (!hasSucceeded(caller, run)) return [];
  const { key, kind, amount } = caller;
  if (kind === 'CREATE' || !run.conditions.hasIdenticalClient) {
    return violations([[countApplied(key, run) === 1, `${key} SUCCEEDED, but was not applied`]]);
  }
  const alike = run.callers.filter((other) => other.kind === kind && other.amount === amount);
  const successes = alike.filter((other) => hasSucceeded(other, run)).length;
  const entries = run.service.entries.filter(
    (entry) => !entry.isOld && entry.kind === kind && entry.amount === amount,
  ).length;
  return violations([
    [successes <= entries, `${successes} SUCCEEDED like ${key} with ${entries} new entries`],
  ]);
}

function checkOperation(operation: Operation, run: FinishedRun): string[] {
  const { key, state } = operation;
  const [applied, posts] = [countApplied(key, run), countPosts(key, run)];
  const recordedPosts = 'posts' in operation ? operation.posts : 0;
  const evidence = 'evidence' in operation ? operation.evidence : null;
  const isRefused = state === 'REJECTED' || state === 'NOT_APPLIED' || state === 'RELEASED';
  return violations([
    [posts <= recordedPosts, `${key} was posted ${posts} times, ${recordedPosts} are recorded`],
    [!isRefused || applied === 0, `${key} is ${state} (${evidence}), but was applied`],
    [evidence !== 'PRESUMED' || run.conditions.isBounded, `${key} was presumed without a bound`],
    [applied === 0 || isKnown(operation, run), `${key} was certainly applied, but is ${state}`],
  ]);
}

/**
 * Whether the state of an operation that was applied is what it must be in the end. Where
 * responses lie, or somebody else makes the same movement, the operator may have to settle it.
 */
function isKnown(operation: Operation, { conditions }: FinishedRun): boolean {
  if (operation.state === 'SUCCEEDED') return true;
  if (operation.state !== 'UNKNOWN' || !isMovement(operation)) return false;
  return (
    (conditions.reliability === 'LYING' && operation.needsOperator) || conditions.hasIdenticalClient
  );
}

function checkReturned({ key, verdict, sent }: Returned, run: FinishedRun): string[] {
  if (verdict.kind !== 'OPERATION') {
    const wasApplied = sent.some((index) => run.service.posts[index]?.applied);
    return violations([[!wasApplied, `${key} returned ${verdict.kind}, but was applied`]]);
  }
  const { state } = verdict.operation;
  const isRefused = state === 'REJECTED' || state === 'NOT_APPLIED';
  return violations([
    [!isRefused || countApplied(key, run) === 0, `${key} returned ${state}, but was applied`],
  ]);
}

/** Whatever was applied has its row. */
function checkRows({ service, operations }: FinishedRun): string[] {
  const ids = new Set(operations.map(({ id }) => id));
  return service.posts
    .filter(({ operation, applied }) => applied && !ids.has(operation))
    .map(({ key }) => `${key} was applied, but has no row`);
}
