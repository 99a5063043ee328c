import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { DEFAULT_PAGE_SIZE } from '../graphql/paging.ts';
import { complexityOf, type Variables } from './complexity.ts';

/** Returns the complexity of an operation of a document with these variables. */
export type MeasureComplexity = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
) => number;

/** Creates the function that measures complexity, once if it does not depend on variables. */
export function createMeasureComplexity(schema: GraphQLSchema): MeasureComplexity {
  const known = new WeakMap<OperationDefinitionNode, number>();
  return (document, operation, variables) => {
    const before = known.get(operation);
    if (before !== undefined) return before;
    const complexity = complexityOf(document, operation, variables, schema, DEFAULT_PAGE_SIZE);
    if (!complexity.dependsOnVariables) known.set(operation, complexity.points);
    return complexity.points;
  };
}
