import {
  type GraphQLSchema,
  getVariableValues,
  isLeafType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  type VariableValues,
} from 'graphql';
import type { Variables } from '../documents/complexity.ts';
import { keptBy } from './leaf.ts';
import { withoutSources } from './plan-run.ts';

/** Checks and converts the variables of a request. Undefined if they are not valid. */
export type ReadVariables = (inputs: Variables) => VariableValues | undefined;

/** If they are not valid, graphql-js says what is wrong. */
const HIDDEN = { hideSuggestions: true };

/** Compiles the variables of an operation. Usual values of usual types are kept as they are. */
export function compileVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ReadVariables {
  const known = variableDefinitions.map((definition) => compileVariable(schema, definition));
  return (inputs) => {
    const values: Record<string, unknown> = {};
    for (const { name, isKept, canBeAbsent } of known) {
      const value = inputs[name];
      if (isKept(value)) values[name] = value;
      else if (value !== undefined || !canBeAbsent || Object.hasOwn(inputs, name)) {
        return getVariableValues(schema, variableDefinitions, inputs, HIDDEN).variableValues;
      }
    }
    return withoutSources(values);
  };
}

function compileVariable(
  schema: GraphQLSchema,
  { variable, type, defaultValue }: VariableDefinitionNode,
) {
  const found = typeFromAST(schema, type);
  const nullable = isNonNullType(found) ? found.ofType : found;
  return {
    name: variable.name.value,
    isKept: isLeafType(nullable) ? keptBy(nullable) : () => false,
    canBeAbsent: !isNonNullType(found) && defaultValue === undefined,
  };
}
