import {
  type GraphQLAbstractType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { keptBy } from './compile-variables.ts';
import { abandon, type Complete, completeLater, settle } from './complete.ts';
import { toFailure } from './failure.ts';
import { PlanInfo, type PlannedField, type PlannedOperation } from './plan-run.ts';

/** A function that resolves the type of an object, as a plan calls it. */
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
    if (value instanceof Error) throw value;
    if (value !== null && value !== undefined) return complete(run, value);
    if (isNullable) return null;
    throw new Error(`Cannot return null for non-nullable field ${nameOf(field)}.`);
  };
  if (!isLeafType(inner)) return completeAny;
  const isKept = keptBy(inner);
  return (run, value) => (isKept(value) ? value : completeAny(run, value));
}

function nameOf({ parentType, fieldName }: PlannedField): string {
  return `${parentType.name}.${fieldName}`;
}

function compileNonNull(
  compiler: ValueCompiler,
  type: GraphQLOutputType,
  field: PlannedField,
): Complete {
  if (isLeafType(type)) return compileLeaf(type);
  if (isListType(type)) return compileList(compiler, type.ofType, field);
  if (isObjectType(type)) return compiler.compileObject(type, field);
  if (isAbstractType(type)) return compileAbstract(compiler, type, field);
  throw new Error('Only one `!` can follow a type.');
}

function compileLeaf(type: GraphQLLeafType): Complete {
  return (_run, value) => {
    const serialized = type.serialize(value);
    if (serialized !== null && serialized !== undefined) return serialized;
    throw new Error(`${type.name} did not serialize a value.`);
  };
}

function compileList(
  compiler: ValueCompiler,
  type: GraphQLOutputType,
  field: PlannedField,
): Complete {
  const { fieldNodes } = field;
  const complete = compileValue(compiler, type, field);
  const required = isNonNullType(type) ? 'ALL' : [];
  return (run, value) => {
    if (!isIterable(value)) {
      throw new Error(`Expected Iterable, but did not find one for field "${nameOf(field)}".`);
    }
    const items: unknown[] = [];
    let waits = false;
    for (const item of value) {
      try {
        const completed = completeLater(run, item, complete, fieldNodes);
        if (completed instanceof Promise) waits = true;
        items.push(completed);
      } catch (error) {
        if (required === 'ALL') {
          const failed = { key: String(items.length), error, nodes: fieldNodes };
          return abandon(run, items, required, failed);
        }
        items.push(toFailure(run, error, fieldNodes));
      }
    }
    return waits ? settle(run, items, required) : items;
  };
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
  // These functions get a `PlanInfo`, which has everything that those of the schema read.
  const resolveType = type.resolveType as ResolveType | undefined;
  const possible = compiler.schema.getPossibleTypes(type);
  const byName = new Map<unknown, Complete>(
    possible.map((each) => [each.name, compiler.compileObject(each, field)]),
  );
  return (run, value) => {
    const info = new PlanInfo(run, compiler, field);
    const name = resolveType?.(value, run.context, info, type);
    const completeAs: Complete = (_run, found) => {
      const complete = byName.get(found);
      if (complete !== undefined) return complete(run, value);
      throw new Error(
        `Abstract type "${type.name}" was resolved to a type "${found}" that does not exist inside the schema.`,
      );
    };
    return completeLater(run, name, completeAs, field.fieldNodes);
  };
}
