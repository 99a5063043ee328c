import {
  type DocumentNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  visit,
} from 'graphql';
import type { Variables } from '../documents/complexity.ts';

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

function readLiteral(value: ValueNode | undefined): boolean | undefined {
  return value?.kind === Kind.BOOLEAN ? value.value : undefined;
}
