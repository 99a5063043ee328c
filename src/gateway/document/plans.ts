import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { countCompiled } from './can-compile.ts';

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

/** A query that is used only once is executed sooner than compiled. */
const USES_BEFORE_PLAN = 2;
/** Queries that wait to be compiled. Others are compiled when they are used again. */
const MAX_WAITING = 16;
/** Of all plans together, with the documents that they keep. */
const MAX_BYTES = 24 * 1_024 ** 2;
/** About what a plan takes, as measured. */
const BYTES_PER_PLAN = 60_000;
const BYTES_PER_SELECTION = 1_000;

/**
 * Compiles the queries that are used more than once: outside any request, one at a time. Plans
 * are kept by the node of the operation, so two operations of one document have two plans.
 */
export function createPlans(schema: GraphQLSchema, { isEnabled, count }: PlanSettings): Plans {
  const plans = new LRUCache<OperationDefinitionNode, CompiledQuery>({
    max: count,
    maxSize: MAX_BYTES,
  });
  /** Ends with the documents themselves, which another cache bounds. */
  const uses = new WeakMap<OperationDefinitionNode, number>();
  const waiting: (() => void)[] = [];

  function compileNext(): void {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(compileNext);
  }

  function enqueue(document: DocumentNode, operation: OperationDefinitionNode): void {
    waiting.push(() => {
      const selections = countCompiled(document, operation);
      const plan = selections === undefined ? undefined : compile(schema, document, operation);
      if (selections === undefined || plan === undefined) return;
      const text = document.loc?.source.body.length ?? 0;
      const size = BYTES_PER_PLAN + BYTES_PER_SELECTION * selections + 2 * text;
      plans.set(operation, plan, { size });
    });
    if (waiting.length === 1) setImmediate(compileNext);
  }

  return {
    find: (document, operation) => {
      if (!isEnabled || operation.operation !== 'query') return undefined;
      const plan = plans.get(operation);
      if (plan !== undefined) return plan;
      const used = (uses.get(operation) ?? 0) + 1;
      // One that does not find a place is as if it was not used.
      if (used === USES_BEFORE_PLAN && waiting.length >= MAX_WAITING) return undefined;
      uses.set(operation, used);
      if (used === USES_BEFORE_PLAN) enqueue(document, operation);
      return undefined;
    },
  };
}

/** Undefined if it cannot be compiled. */
function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledQuery | undefined {
  try {
    const compiled = compileQuery(schema, document, operation.name?.value ?? '');
    return isCompiledQuery(compiled) ? compiled : undefined;
  } catch {
    return undefined;
  }
}
