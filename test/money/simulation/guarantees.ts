import type { Verdict } from '../../../src/gateway/operation/attempt.ts';
import type { Operation } from '../../../src/gateway/operation/operation.ts';
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
  readonly service: SimulatedService;
  readonly operations: readonly Operation[];
  readonly returned: readonly Returned[];
  /** Whether the service applies a POST within a known time, or never. */
  readonly isBounded: boolean;
  readonly staleReads: boolean;
  /** Whether another client did the same as one of the callers. */
  readonly hasOtherClient: boolean;
}

/** How a run broke the guarantees; empty if it kept all of them. */
export function findViolations(run: FinishedRun): string[] {
  const { service, operations, returned } = run;
  const ids = new Set(service.posts.map(({ operation }) => operation));
  return [
    ...[...ids].flatMap((id) => checkPosts(id, run)),
    ...operations.flatMap((operation) => checkOperation(operation, run)),
    ...returned.flatMap((each) => checkReturned(each, run)),
    ...service.recorded().flatMap(({ operation }) => {
      const isKnown = operation === undefined || operations.some(({ id }) => id === operation);
      return violations([[isKnown, `the entry of ${operation} has no operation`]]);
    }),
  ];
}

/** The texts of the checks that are not met. */
function violations(checks: readonly (readonly [isMet: boolean, text: string])[]): string[] {
  return checks.filter(([isMet]) => !isMet).map(([, text]) => text);
}

function countApplied(id: string, { service }: FinishedRun): number {
  return service.recorded().filter(({ operation }) => operation === id).length;
}

function countPosts(id: string, { service }: FinishedRun): number {
  return service.posts.filter(({ operation }) => operation === id).length;
}

function checkPosts(id: string, run: FinishedRun): string[] {
  const [applied, posts] = [countApplied(id, run), countPosts(id, run)];
  return violations([
    [applied <= 1, `${id} was applied ${applied} times`],
    [posts <= 2, `${id} was posted ${posts} times`],
  ]);
}

/** A created transaction carries the tag of its operation, so another client's never counts. */
function mayBeOfAnother({ kind }: Operation, { hasOtherClient }: FinishedRun): boolean {
  return hasOtherClient && kind !== 'CREATE';
}

function checkOperation(operation: Operation, run: FinishedRun): string[] {
  const { id, kind, state } = operation;
  const [applied, posts] = [countApplied(id, run), countPosts(id, run)];
  const recordedPosts = 'posts' in operation ? operation.posts : 0;
  const evidence = 'evidence' in operation ? operation.evidence : null;
  const mayBeForeign = mayBeOfAnother(operation, run);
  const isCertain = applied === 1 && !mayBeForeign && !run.staleReads;
  const succeeded = state === 'SUCCEEDED';
  return violations([
    [kind !== 'CREATE' || posts <= 1, `${id} was created by ${posts} POSTs`],
    [posts <= recordedPosts, `${id} was posted ${posts} times, ${recordedPosts} are recorded`],
    [!succeeded || applied === 1 || mayBeForeign, `${id} SUCCEEDED with ${applied} entries`],
    [
      !succeeded || evidence !== 'ANSWERED' || applied === 1,
      `${id} was answered, but was not applied`,
    ],
    [state !== 'REJECTED' || applied === 0, `${id} is REJECTED, but was applied`],
    [state !== 'NOT_APPLIED' || applied === 0, `${id} is NOT_APPLIED, but was applied`],
    [state !== 'NOT_APPLIED' || run.isBounded, `${id} was presumed NOT_APPLIED without a bound`],
    [!isCertain || succeeded, `${id} was certainly applied, but is ${state}`],
  ]);
}

function checkReturned({ key, verdict, sent }: Returned, run: FinishedRun): string[] {
  if (verdict.kind !== 'OPERATION') {
    const wasApplied = sent.some((index) => run.service.posts[index]?.applied);
    return violations([[!wasApplied, `${key} returned ${verdict.kind}, but was applied`]]);
  }
  const { operation } = verdict;
  const { id, state } = operation;
  const applied = countApplied(id, run);
  const mayBeForeign = mayBeOfAnother(operation, run);
  return violations([
    [
      state !== 'SUCCEEDED' || applied === 1 || mayBeForeign,
      `${key} returned SUCCEEDED with ${applied} entries`,
    ],
    [state !== 'REJECTED' || applied === 0, `${key} returned REJECTED, but was applied`],
  ]);
}
