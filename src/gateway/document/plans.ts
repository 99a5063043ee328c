import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { canCompile } from './can-compile.ts';

/** Whether queries are compiled, and how many compiled ones are kept. */
export interface PlanSettings {
  readonly isEnabled: boolean;
  readonly count: number;
}

/** Compiled queries. */
export interface Plans {
  /** The plan of an operation; undefined if there is none, or none yet. */
  find(document: DocumentNode, operation: OperationDefinitionNode): CompiledQuery | undefined;
}

/** What is known about one operation. */
interface Known {
  uses: number;
  /** `NONE` if it cannot be compiled. */
  plan?: CompiledQuery | 'NONE';
}

/** A query that is used only once is executed sooner than compiled. */
const USES_BEFORE_PLAN = 2;

/**
 * Compiles the queries that are used more than once: outside any request, one at a time. Plans
 * are kept by the node of the operation, so two operations of one document have two plans.
 */
export function createPlans(schema: GraphQLSchema, { isEnabled, count }: PlanSettings): Plans {
  const operations = new LRUCache<OperationDefinitionNode, Known>({ max: count });
  const queue: (() => void)[] = [];

  function compileNext(): void {
    queue.shift()?.();
    if (queue.length > 0) setImmediate(compileNext);
  }

  function enqueue(work: () => void): void {
    queue.push(work);
    if (queue.length === 1) setImmediate(compileNext);
  }

  return {
    find: (document, operation) => {
      if (!isEnabled || operation.operation !== 'query') return undefined;
      const known = operations.get(operation);
      if (known === undefined) {
        operations.set(operation, { uses: 1 });
        return undefined;
      }
      if (known.plan !== undefined) return known.plan === 'NONE' ? undefined : known.plan;
      known.uses++;
      if (known.uses === USES_BEFORE_PLAN) {
        enqueue(() => {
          known.plan = compile(schema, document, operation) ?? 'NONE';
        });
      }
      return undefined;
    },
  };
}

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledQuery | undefined {
  if (!canCompile(document, operation)) return undefined;
  try {
    const compiled = compileQuery(schema, document, operation.name?.value ?? '');
    return isCompiledQuery(compiled) ? compiled : undefined;
  } catch {
    return undefined;
  }
}
