import {
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type Complete, completeLater } from './complete.ts';
import { keptBy } from './leaf.ts';
import {
  fail,
  PlanInfo,
  type PlannedField,
  type PlannedOperation,
  type PlanRun,
} from './plan-run.ts';

/** What tells the type of an object, as a plan calls it. */
type ResolveType = (value: unknown, context: object, info: PlanInfo, type: object) => unknown;

/** What the values of a plan are compiled with. */
export interface ValueCompiler extends PlannedOperation {
  /** Compiles the selections of a field for objects of one type. */
  compileObject(type: GraphQLObjectType, field: PlannedField): Complete;
}

/** Compiles the values of a field, or of the items of its list. */
export function compileValue(
  compiler: ValueCompiler,
  type: GraphQLOutputType,
  field: PlannedField,
): Complete {
  const isNullable = !isNonNullType(type);
  const inner = isNullable ? type : type.ofType;
  const complete = compileNonNull(compiler, inner, field);
  const completeAny: Complete = (run, value) => {
    if (value === null || value === undefined) return isNullable ? null : fail(run);
    return value instanceof Error ? fail(run) : complete(run, value);
  };
  if (!isLeafType(inner)) return completeAny;
  const isKept = keptBy(inner);
  return (run, value) => (isKept(value) ? value : completeAny(run, value));
}

function compileNonNull(
  compiler: ValueCompiler,
  type: GraphQLOutputType,
  field: PlannedField,
): Complete {
  if (isLeafType(type)) return (run, value) => type.serialize(value) ?? fail(run);
  if (isListType(type)) return compileList(compileValue(compiler, type.ofType, field));
  if (isObjectType(type)) return compiler.compileObject(type, field);
  if (isAbstractType(type)) return compileAbstract(compiler, type, field);
  throw new Error('Only one `!` can follow a type.');
}

function compileList(complete: Complete): Complete {
  return (run, value) => {
    if (!isIterable(value)) return fail(run);
    const items: unknown[] = [];
    let waits = false;
    for (const item of value) {
      const completed = completeItem(run, item, complete);
      if (completed instanceof Promise) waits = true;
      items.push(completed);
    }
    return waits ? Promise.all(items) : items;
  };
}

/** Does not throw: the promises of other items would be left alone. */
function completeItem(run: PlanRun, item: unknown, complete: Complete): unknown {
  try {
    return completeLater(run, item, complete);
  } catch {
    return fail(run);
  }
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** The selections of an interface or a union, for each type that an object can have. */
function compileAbstract(
  compiler: ValueCompiler,
  type: GraphQLAbstractType,
  field: PlannedField,
): Complete {
  // It gets a `PlanInfo`, which has what those of the schema read.
  const resolveType = type.resolveType as ResolveType | undefined;
  const possible = compiler.schema.getPossibleTypes(type);
  const byName = new Map<unknown, Complete>(
    possible.map((each) => [each.name, compiler.compileObject(each, field)]),
  );
  return (run, value) => {
    const info = new PlanInfo(run, compiler, field);
    const name = resolveType?.(value, run.context, info, type);
    return completeLater(run, name, (_run, found) => (byName.get(found) ?? fail)(run, value));
  };
}
