import type {
  FieldNode,
  FragmentDefinitionNode,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  VariableValues,
} from 'graphql';

/** One execution of a plan. */
export interface PlanRun {
  readonly context: object;
  readonly variables: VariableValues;
  /** Arguments that depend on variables, by the number of their field. */
  readonly args: (Readonly<Record<string, unknown>> | undefined)[];
  /** How many fields have failed. */
  failures: number;
}

const NO_SOURCES: VariableValues['sources'] = {};

/**
 * Variables as functions of graphql-js take them. Sources are needed only for a variable inside the
 * literal of a scalar whose literals graphql-js coerces itself. No such scalar has lists or objects.
 */
export function withoutSources(coerced: VariableValues['coerced']): VariableValues {
  return { sources: NO_SOURCES, coerced };
}

/** What all fields of a plan have in common. */
export interface PlannedOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
}

/** A field of a plan. */
export interface PlannedField {
  readonly fieldName: string;
  readonly fieldNodes: readonly [FieldNode, ...FieldNode[]];
  readonly parentType: GraphQLObjectType;
  readonly returnType: GraphQLOutputType;
}

/** What a resolver gets about its field: everything but the path, which plans do not track. */
export class PlanInfo {
  readonly fieldName: string;
  readonly fieldNodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly returnType: GraphQLOutputType;
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly rootValue = undefined;
  readonly variableValues: VariableValues;

  constructor(run: PlanRun, planned: PlannedOperation, field: PlannedField) {
    this.fieldName = field.fieldName;
    this.fieldNodes = field.fieldNodes;
    this.parentType = field.parentType;
    this.returnType = field.returnType;
    this.schema = planned.schema;
    this.operation = planned.operation;
    this.fragments = planned.fragments;
    this.variableValues = run.variables;
  }

  get path(): never {
    throw new Error(`A plan has no paths. ${this.parentType.name}.${this.fieldName} reads one.`);
  }
}
