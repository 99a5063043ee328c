import {
  type DocumentNode,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValueNode,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { isIncluded } from '../../schema/selection.ts';
import { fragmentsOf, type Variables } from '../documents/complexity.ts';
import { sizeOf } from '../documents/document-cache.ts';
import { compilePlan, type Plan } from './compile-plan.ts';
import { withoutSources } from './plan-run.ts';

/** Whether operations are compiled, and how many compiled ones are kept. */
export interface PlanSettings {
  readonly isEnabled: boolean;
  readonly count: number;
}

/** Compiled operations. */
export interface Plans {
  /** The plan of an operation; undefined if there is none, or none yet. */
  find(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Variables,
  ): Plan | undefined;
  /** Number of compiled operations. */
  readonly size: number;
}

/** An operation that is used only once takes longer to compile than to execute. */
const USES_BEFORE_PLAN = 2;
/** Compiling this many fields takes some milliseconds, during which no other request is handled. */
const MAX_FIELDS = 500;
/** Plans of one operation, which differ in the selections that `@skip` and `@include` leave. */
const MAX_VARIANTS = 16;
/** Bytes of all plans together, with the documents that they keep in memory. */
const MAX_BYTES = 32 * 1_024 ** 2;
/** Approximate memory of a plan, as measured. */
const BYTES_PER_PLAN = 2_000;
const BYTES_PER_FIELD = 1_000;

/** An operation with certain values of its conditions. */
interface Variant {
  /** How often it was used since it was last compiled, or since its operation was first used. */
  uses: number;
  isCompilable: boolean;
}

/** What is known about an operation. */
interface Known {
  /** The variables that its conditions depend on. */
  readonly names: ReadonlySet<string>;
  readonly variants: Map<string, Variant>;
}

/**
 * Compiles the operations that are used more than once. Plans are kept by the node of the
 * operation, so two operations of one document have two plans.
 */
export function createPlans(schema: GraphQLSchema, { isEnabled, count }: PlanSettings): Plans {
  const plans = new LRUCache<Variant, Plan>({ max: count, maxSize: MAX_BYTES });
  // Entries of both are dropped with the documents, whose number another cache limits.
  const used = new WeakSet<OperationDefinitionNode>();
  const operations = new WeakMap<OperationDefinitionNode, Known>();

  function know(document: DocumentNode, operation: OperationDefinitionNode): Known {
    const before = operations.get(operation);
    if (before !== undefined) return before;
    const known = { names: conditionsOf(document), variants: new Map() };
    operations.set(operation, known);
    return known;
  }

  function compile(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    conditions: Conditions,
  ) {
    const selecting = {
      schema,
      fragments: fragmentsOf(document),
      isIncluded: (selection: SelectionNode) => isIncluded(selection, withoutSources(conditions)),
    };
    return compilePlan(operation, selecting, MAX_FIELDS);
  }

  return {
    get size() {
      return plans.size;
    },
    find: (document, operation, variables) => {
      if (!isEnabled || operation.operation === 'subscription') return undefined;
      if (!used.has(operation)) {
        used.add(operation);
        return undefined;
      }
      const { names, variants } = know(document, operation);
      const conditions = readConditions(names, operation, variables);
      if (conditions === undefined) return undefined;
      const variant = findVariant(variants, conditions);
      if (!variant?.isCompilable) return undefined;
      const plan = plans.get(variant);
      if (plan !== undefined) return plan;
      variant.uses++;
      if (variant.uses < USES_BEFORE_PLAN) return undefined;
      variant.uses = 0;
      const compiled = compile(document, operation, conditions);
      variant.isCompilable = compiled !== undefined;
      if (compiled === undefined) return undefined;
      const size = BYTES_PER_PLAN + BYTES_PER_FIELD * compiled.fields + sizeOf(document);
      plans.set(variant, compiled.plan, { size });
      return compiled.plan;
    },
  };
}

/** Undefined if there are too many variants. */
function findVariant(variants: Map<string, Variant>, conditions: Conditions): Variant | undefined {
  const key = Object.values(conditions).join();
  const known = variants.get(key);
  if (known !== undefined || variants.size >= MAX_VARIANTS) return known;
  // The first use of the operation counts for the first variant.
  const variant = { uses: variants.size === 0 ? 1 : 0, isCompilable: true };
  variants.set(key, variant);
  return variant;
}

/** The values of the variables on which `@skip` and `@include` of a document depend. */
export type Conditions = Readonly<Record<string, boolean>>;

const DIRECTIVES = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

/** The names of the variables in all `@skip` and `@include` of a document. */
function conditionsOf(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ name, arguments: given = [] }) => {
      if (!DIRECTIVES.has(name.value)) return;
      for (const { value } of given) {
        if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      }
    },
  });
  return names;
}

/** Reads the variables of conditions. Undefined if one of them has no boolean value. */
function readConditions(
  names: ReadonlySet<string>,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): Conditions | undefined {
  const conditions: Record<string, boolean> = {};
  for (const { variable, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    if (!names.has(name)) continue;
    const value = Object.hasOwn(variables, name) ? variables[name] : readLiteral(defaultValue);
    if (typeof value !== 'boolean') return undefined;
    conditions[name] = value;
  }
  return conditions;
}

function readLiteral(value: ValueNode | undefined): boolean | undefined {
  return value?.kind === Kind.BOOLEAN ? value.value : undefined;
}
