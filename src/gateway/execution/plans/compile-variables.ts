import {
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLSchema,
  GraphQLString,
  getVariableValues,
  isLeafType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  type VariableValues,
} from 'graphql';
import type { Variables } from '../documents/complexity.ts';
import { withoutSources } from './plan-run.ts';

/** Checks and converts the variables of a request. Undefined if they are not valid. */
export type ReadVariables = (inputs: Variables) => VariableValues | undefined;

/** These errors are not used: graphql-js reports them when it executes the operation. */
const HIDDEN = { hideSuggestions: true };

/** Compiles the variables of an operation. Usual values of usual types are not converted. */
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

const isText = (value: unknown) => typeof value === 'string';

/** The values that scalars of GraphQL have in most responses. They need no conversion. */
const KEPT = new Map<GraphQLLeafType, (value: unknown) => boolean>([
  [GraphQLString, isText],
  [GraphQLID, isText],
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
  [GraphQLInt, (value) => typeof value === 'number' && (value | 0) === value],
]);

const none = () => false;

/**
 * Returns a check whether a value of this type needs no conversion, in a request or in a response.
 * Any other value must be converted.
 */
export function keptBy(type: GraphQLLeafType): (value: unknown) => boolean {
  return KEPT.get(type) ?? none;
}
