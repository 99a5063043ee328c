import {
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  Kind,
  type ValueNode,
} from 'graphql';
import type { PlanRun } from './plan-run.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Reads the arguments of one field. Throws if they are not valid. */
export type ReadArguments = (run: PlanRun) => Arguments;

const NONE: Arguments = {};

/**
 * Compiles the arguments of a field. They are the same for all objects of one response.
 *
 * @param slot the number of the field in its plan
 */
export function compileArguments(
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
