import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';

/** What decides which fields a selection set has for an object type. */
export interface Selecting {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Whether `@skip` and `@include` let a selection be executed. */
  readonly isIncluded: (selection: SelectionNode) => boolean;
}

/** The nodes of each field, by its name in the response. */
export type CollectedFields = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>;

/**
 * Merges the selections of an object in the order of the response. Specification: GraphQL,
 * "CollectFields".
 */
export function collectFields(
  { schema, fragments, isIncluded }: Selecting,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): CollectedFields {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
  const visited = new Set<string>();

  function applies({ typeCondition }: FragmentDefinitionNode | InlineFragmentNode): boolean {
    if (typeCondition === undefined) return true;
    const condition = typeFromAST(schema, typeCondition);
    return condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
  }

  function collect({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (!isIncluded(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const nodes = fields.get(name);
        if (nodes === undefined) fields.set(name, [selection]);
        else nodes.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (applies(selection)) collect(selection.selectionSet);
      } else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined && applies(fragment)) collect(fragment.selectionSet);
      }
    }
  }

  for (const set of sets) collect(set);
  return fields;
}
