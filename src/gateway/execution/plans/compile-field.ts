import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  isNonNullType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql';
import { compileValue, type ValueCompiler } from './compile-value.ts';
import { type Complete, completeLater } from './complete.ts';
import { toFailure } from './failure.ts';
import type { PlanField } from './generate-reader.ts';
import { PlanInfo, type PlannedField, type PlanRun } from './plan-run.ts';

/** A resolver, as a plan calls it. */
type Resolver = (source: unknown, args: object, context: object, info?: PlanInfo) => unknown;

/**
 * Compiles a field of an object type.
 *
 * @param name its name in the response
 * @param slot its number in the plan
 */
export function compileField(
  compiler: ValueCompiler,
  parentType: GraphQLObjectType,
  name: string,
  fieldNodes: readonly [FieldNode, ...FieldNode[]],
  slot: number,
): PlanField {
  const [node] = fieldNodes;
  const fieldName = node.name.value;
  if (fieldName === TypeNameMetaFieldDef.name) {
    const complete = () => parentType.name;
    return { name, property: undefined, nodes: fieldNodes, isRequired: true, complete };
  }
  const definition = findField(compiler, parentType, fieldName);
  const field = { fieldName, fieldNodes, parentType, returnType: definition.type };
  const complete = compileValue(compiler, definition.type, field);
  const resolve = compileResolver(compiler, definition, field, slot);
  const property = resolve === undefined ? fieldName : undefined;
  const completeField: Complete = resolve
    ? (run, source) => completeLater(run, resolve(run, source), complete, fieldNodes)
    : (run, value) => {
        // graphql-js would call the method.
        if (typeof value === 'function') {
          throw new Error(`${parentType.name}.${fieldName} must not be a method.`);
        }
        return completeLater(run, value, complete, fieldNodes);
      };
  const isRequired = isNonNullType(definition.type);
  return {
    ...{ name, property, nodes: fieldNodes, isRequired },
    complete: isRequired ? completeField : catchFailure(completeField, fieldNodes),
  };
}

/** If a nullable field fails, only this field becomes null. */
function catchFailure(complete: Complete, nodes: readonly FieldNode[]): Complete {
  return (run, source) => {
    try {
      return complete(run, source);
    } catch (error) {
      return toFailure(run, error, nodes);
    }
  };
}

function findField(
  { schema }: ValueCompiler,
  type: GraphQLObjectType,
  name: string,
): GraphQLField<unknown, unknown> {
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  const found = type.getFields()[name];
  if (found === undefined) throw new Error(`${type.name} has no field ${name}.`);
  return found;
}

/** Undefined if the field is a property of its object. */
function compileResolver(
  compiler: ValueCompiler,
  definition: GraphQLField<unknown, unknown>,
  field: PlannedField,
  slot: number,
): Complete | undefined {
  const readArguments = compileArguments(definition, field.fieldNodes[0], slot);
  // Resolvers get a `PlanInfo`, which has everything that the schema's resolvers read.
  const resolve = definition.resolve as Resolver | undefined;
  if (resolve === undefined) return undefined;
  // A resolver without parameters could read `arguments`.
  if (resolve.length === 0 || resolve.length > 3) {
    return (run, source) => {
      const info = new PlanInfo(run, compiler, field);
      return resolve(source, readArguments(run), run.context, info);
    };
  }
  return (run, source) => resolve(source, readArguments(run), run.context);
}

type Arguments = Readonly<Record<string, unknown>>;

/** Reads the arguments of one field. Throws if they are not valid. */
export type ReadArguments = (run: PlanRun) => Arguments;

const NONE: Arguments = {};

/**
 * Compiles the arguments of a field. They are the same for all objects of one response.
 *
 * @param slot the number of the field in its plan
 */
function compileArguments(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  slot: number,
): ReadArguments {
  if (field.args.length === 0) return () => NONE;
  if (!(node.arguments ?? []).some(({ value }) => hasVariable(value))) {
    const values = getArgumentValues(field, node);
    return () => values;
  }
  return (run) => {
    const known = run.args[slot];
    if (known !== undefined) return known;
    const values = getArgumentValues(field, node, run.variables);
    run.args[slot] = values;
    return values;
  };
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}
