import { formatMoney } from '../../schema/amount.ts';
import { adviceOf, isInProgress, type Operation } from '../engine/operation.ts';
import type { OperatorView } from '../store/operation-store.ts';
import type { ShownEntry } from './operator.ts';

/** Why an operation is open, in words; null if it is not. */
function whyOpen(operation: Operation): string | null {
  if (isInProgress(operation)) return 'in progress';
  if (operation.state !== 'UNKNOWN') return null;
  const { needsOperator, response } = operation;
  const isDenied = response?.kind === 'REJECTED' || response?.kind === 'RELEASED';
  if (needsOperator && isDenied) return 'rejected, but an entry could be its effect';
  if (needsOperator) return 'several entries could be its effect';
  return response === null ? 'no valid response' : 'response not confirmed';
}

/** What the operator sees of an operation, as text of three lines. */
export function toText(view: OperatorView, now: number): string {
  const { operation } = view;
  const { id, state, transactionId, merchantId, key, createdAt } = operation;
  const age = formatAge(now - createdAt.getTime());
  return `${id}  ${state}  ${describe(operation)}  ${age}
  transaction ${transactionId ?? 'not known'}, merchant ${merchantId}, key ${key}
  ${explain(view)}`;
}

/** What the operator sees of an operation, as an object for JSON. */
export function toJson(view: OperatorView, now: number): object {
  const { operation, verified, waived } = view;
  const { id, state, kind, amount, currency, transactionId, merchantId, key } = operation;
  const { createdAt } = operation;
  return {
    id,
    state,
    kind,
    amount: { minorUnits: amount, currency },
    transactionId,
    merchantId,
    idempotencyKey: key,
    createdAt,
    ageSeconds: toSeconds(now - createdAt.getTime()),
    posts: 'posts' in operation ? operation.posts : 0,
    advice: adviceOf(operation),
    why: whyOpen(operation),
    evidence: 'evidence' in operation ? operation.evidence : null,
    verified,
    resolvedAt: 'resolvedAt' in operation ? operation.resolvedAt : null,
    entry: 'entry' in operation ? operation.entry : null,
    waived,
  };
}

function explain({ operation, verified, waived }: OperatorView): string {
  const why = whyOpen(operation);
  if (why !== null) return `${why}; advice ${adviceOf(operation)}`;
  if (operation.state === 'RELEASED')
    return 'no effect visible after a 401, 403 or 429; a repeat of the key sends it again';
  const evidence = `evidence ${'evidence' in operation ? operation.evidence : null}`;
  return [
    evidence,
    ...(verified === null ? [] : [verified ? 'verified' : 'not verified']),
    ...(waived ? ['entry waived'] : []),
  ].join(', ');
}

/** The kind and amount of an operation. */
export function describe({ kind, amount, currency }: Operation): string {
  return `${kind} ${formatMoney({ minorUnits: amount, currency })}`;
}

/** The kind, amount, date and line of an entry. */
export function describeEntry(
  { entry: { kind, amount, line }, createdAt }: ShownEntry,
  { currency }: Operation,
): string {
  const money = formatMoney({ minorUnits: amount, currency });
  const date = createdAt?.toISOString() ?? 'no date';
  return `${kind} ${money}, ${date}, ${line === null ? 'no line' : `line ${line}`}`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

function formatAge(ms: number): string {
  const seconds = toSeconds(ms);
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** The clocks of this machine and of the database may differ. */
function toSeconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1_000));
}
