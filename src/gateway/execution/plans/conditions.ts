import {
  type DocumentNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValueNode,
  visit,
} from 'graphql';
import type { Variables } from '../documents/complexity.ts';
import { withoutSources } from './plan-run.ts';

/** The values of the variables on which `@skip` and `@include` of a document depend. */
export type Conditions = Readonly<Record<string, boolean>>;

const DIRECTIVES = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

/** The names of the variables in all `@skip` and `@include` of a document. */
export function conditionsOf(document: DocumentNode): ReadonlySet<string> {
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
export function readConditions(
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

/** Whether a selection is executed. Throws if a condition has no value. */
export function isIncluded(selection: SelectionNode, conditions: Conditions): boolean {
  const variables = withoutSources(conditions);
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variables);
  return skip?.if !== true && include?.if !== false;
}

function readLiteral(value: ValueNode | undefined): boolean | undefined {
  return value?.kind === Kind.BOOLEAN ? value.value : undefined;
}
