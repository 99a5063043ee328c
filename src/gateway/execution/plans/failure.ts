import { type ASTNode, type GraphQLError, locatedError } from 'graphql';
import type { PlanRun } from './plan-run.ts';

/** A name in an object of the response, or an index in a list. */
type Key = string | number;

/**
 * An error in place of the value that it makes null. Its path is built while it is moved out of the
 * objects and lists around it, so a query without errors tracks no paths.
 */
export class Failure {
  readonly error: unknown;
  /** The field in the document. */
  readonly nodes: readonly ASTNode[];
  /** Number of fields that failed before this one. */
  readonly order: number;
  /** From the field outwards, up to the object or list that the failure is in. */
  readonly path: Key[] = [];
  /** Earlier failures in an object or list that this one makes null. */
  beside: readonly Failure[] = [];

  constructor(error: unknown, nodes: readonly ASTNode[], order: number) {
    this.error = error;
    this.nodes = nodes;
    this.order = order;
  }
}

/** The failure of a field, or of what it contains. */
export function toFailure(run: PlanRun, error: unknown, nodes: readonly ASTNode[]): Failure {
  return error instanceof Failure ? error : new Failure(error, nodes, run.failures++);
}

/** Which values of an object or a list must not be null: those with these names, or all. */
export type Required = readonly string[] | 'ALL';

/**
 * The failure that makes an object or a list null: the first one of a value that must not be null.
 * Undefined if there is none.
 */
export function propagateFailure(container: object, required: Required): Failure | undefined {
  const values = container as Record<string, unknown>;
  let first: Failure | undefined;
  const beside: Failure[] = [];
  for (const name of required === 'ALL' ? Object.keys(values) : required) {
    const failure = values[name];
    if (!(failure instanceof Failure)) continue;
    values[name] = null;
    // Of these failures, only the first is reported. Those inside nullable values are all reported.
    const [, ...others] = moveOut([failure], keyOf(container, name));
    beside.push(...others);
    if (first === undefined || failure.order < first.order) first = failure;
  }
  if (first !== undefined) first.beside = [...beside, ...takeFailures(container)];
  return first;
}

/** The failures in an object or a list, with their paths in it. Leaves null in their places. */
export function takeFailures(container: object): Failure[] {
  const values = container as Record<Key, unknown>;
  return Object.keys(container).flatMap((name) => {
    const value = values[name];
    if (typeof value !== 'object' || value === null) return [];
    const key = keyOf(container, name);
    if (!(value instanceof Failure)) return moveOut(takeFailures(value), key);
    values[name] = null;
    return moveOut([value], key);
  });
}

function keyOf(container: object, name: string): Key {
  return Array.isArray(container) ? Number(name) : name;
}

/** Adds a key to the paths of failures, and of those beside them. Returns each on its own. */
function moveOut(failures: readonly Failure[], key: Key): Failure[] {
  const all = failures.flatMap((failure) => [failure, ...failure.beside]);
  for (const failure of all) {
    failure.path.push(key);
    failure.beside = [];
  }
  return all;
}

/** The errors of a response, in the order in which the fields failed. */
export function toErrors(failures: readonly Failure[]): readonly GraphQLError[] {
  return failures
    .flatMap((failure) => [failure, ...failure.beside])
    .toSorted((a, b) => a.order - b.order)
    .map(({ error, nodes, path }) => locatedError(error, nodes, path.toReversed()));
}
