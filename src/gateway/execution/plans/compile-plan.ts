import type {
  ExecutionResult,
  FragmentDefinitionNode,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import type { Variables } from '../documents/complexity.ts';
import { collectFields, type Selecting } from './collect-fields.ts';
import { compileField } from './compile-field.ts';
import type { ValueCompiler } from './compile-value.ts';
import { compileVariables } from './compile-variables.ts';
import type { Complete } from './complete.ts';
import { Failure, takeFailures, toErrors, toFailure } from './failure.ts';
import { type Generate, generateReader, type PlanField } from './generate-reader.ts';
import type { PlannedField, PlanRun } from './plan-run.ts';

/** Executes an operation. Returns undefined and executes nothing if the variables are not valid. */
export type Plan = (
  context: object,
  variables: Variables,
) => ExecutionResult | Promise<ExecutionResult> | undefined;

/** A compiled operation. */
export interface CompiledPlan {
  readonly plan: Plan;
  /** How many fields it has. */
  readonly fields: number;
}

/**
 * Compiles an operation to functions: one for each field, called with the objects that have it.
 * Undefined if the operation has more than `maxFields` fields, or something that plans do not
 * support.
 */
export function compilePlan(
  operation: OperationDefinitionNode,
  selecting: Selecting,
  maxFields: number,
): CompiledPlan | undefined {
  const { schema } = selecting;
  const type = schema.getRootType(operation.operation);
  if (!type) return undefined;
  const compiler = new PlanCompiler(operation, selecting, maxFields);
  try {
    const execute = compiler.compile(type);
    const readVariables = compileVariables(schema, operation);
    const plan: Plan = (context, inputs) => {
      const variables = readVariables(inputs);
      return variables && run(execute, { context, variables, args: [], failures: 0 });
    };
    return { plan, fields: compiler.fields };
  } catch {
    return undefined;
  }
}

function run(execute: Complete, run: PlanRun): ExecutionResult | Promise<ExecutionResult> {
  const finish = (data: unknown) => toResult(run, data);
  try {
    const data = execute(run, undefined);
    return data instanceof Promise ? data.then(finish) : finish(data);
  } catch (error) {
    return finish(toFailure(run, error, []));
  }
}

/** @param found an object, or the failure that makes all data null */
function toResult({ failures }: PlanRun, found: unknown): ExecutionResult {
  if (found instanceof Failure) return { errors: toErrors([found]), data: null };
  // Without a failure, the fields of an operation are always completed to an object.
  const data = found as Record<string, unknown>;
  return failures === 0 ? { data } : { errors: toErrors(takeFailures(data)), data };
}

class PlanCompiler implements ValueCompiler {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** How many fields were compiled. */
  fields = 0;
  readonly #generated = new Map<string, Generate>();
  readonly #selecting: Selecting;
  readonly #maxFields: number;

  constructor(operation: OperationDefinitionNode, selecting: Selecting, maxFields: number) {
    this.schema = selecting.schema;
    this.operation = operation;
    this.fragments = Object.fromEntries(selecting.fragments);
    this.#selecting = selecting;
    this.#maxFields = maxFields;
  }

  /** Compiles the operation. */
  compile(type: GraphQLObjectType): Complete {
    try {
      const { operation, selectionSet } = this.operation;
      if (
        operation === 'mutation' &&
        collectFields(this.#selecting, type, [selectionSet]).size > 1
      ) {
        throw new Error('Plans do not execute fields one after the other.');
      }
      return this.#compileSets(type, [selectionSet]);
    } finally {
      // The fields of the plan keep this compiler in memory.
      this.#generated.clear();
    }
  }

  compileObject(type: GraphQLObjectType, { fieldNodes }: PlannedField): Complete {
    if (type.isTypeOf) throw new Error('Plans do not ask types for their objects.');
    const sets = fieldNodes.map(({ selectionSet }) => selectionSet);
    return this.#compileSets(
      type,
      sets.filter((set) => set !== undefined),
    );
  }

  #compileSets(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Complete {
    const fields: PlanField[] = [];
    for (const [name, nodes] of collectFields(this.#selecting, type, sets)) {
      const slot = this.fields++;
      if (slot >= this.#maxFields) throw new Error('There are too many fields.');
      fields.push(compileField(this, type, name, nodes, slot));
    }
    return generateReader(fields, this.#generated);
  }
}
