import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { DEFAULT_PAGE_SIZE } from '../../schema/paging.ts';
import { type Complexity, complexityOf, type Variables } from './complexity.ts';

/** Returns the complexity of an operation of a document with these variables. */
export type MeasureComplexity = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
) => number;

/**
 * Creates the function that measures complexity. The last one of an operation is remembered, until
 * a variable that it depends on has another value: clients send page sizes that rarely change.
 */
export function createMeasureComplexity(schema: GraphQLSchema): MeasureComplexity {
  const known = new WeakMap<OperationDefinitionNode, Complexity>();
  return (document, operation, variables) => {
    const last = known.get(operation);
    if (last !== undefined && hasSameValues(last, variables)) return last.points;
    const complexity = complexityOf(document, operation, variables, schema, DEFAULT_PAGE_SIZE);
    if (isSmall(complexity)) known.set(operation, complexity);
    return complexity.points;
  };
}

function hasSameValues({ read }: Complexity, variables: Variables): boolean {
  for (const [name, value] of read) if (variables[name] !== value) return false;
  return true;
}

/** Whether it can be remembered: no cache counts the bytes of these values. */
function isSmall({ read }: Complexity): boolean {
  for (const value of read.values())
    if (Object(value) === value || typeof value === 'string') return false;
  return true;
}
