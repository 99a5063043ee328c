import {
  type DirectiveNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** The part of GraphQL's resolve info that shows what a query selects below a field. */
export type SelectionInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;

/** Whether the query selects one of `subfields` below `field` of the field being resolved. */
export function isSelected(
  info: SelectionInfo,
  field: string,
  subfields: ReadonlySet<string>,
): boolean {
  return info.fieldNodes.some(({ selectionSet }) =>
    someField(
      info,
      selectionSet,
      (name, below) =>
        name === field && someField(info, below, (subfield) => subfields.has(subfield)),
    ),
  );
}

/** Searches each fragment once, because each can contain the next one several times. */
function someField(
  info: SelectionInfo,
  set: SelectionSetNode | undefined,
  matches: (name: string, below: SelectionSetNode | undefined) => boolean,
  searched = new Set<string>(),
): boolean {
  return (set?.selections ?? []).some((selection) => {
    if (!isIncluded(selection, info.variableValues)) return false;
    if (selection.kind === Kind.FIELD) return matches(selection.name.value, selection.selectionSet);
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      return someField(info, selection.selectionSet, matches, searched);
    }
    const name = selection.name.value;
    if (searched.has(name)) return false;
    searched.add(name);
    return someField(info, info.fragments[name]?.selectionSet, matches, searched);
  });
}

/** Whether `@skip` and `@include` keep a selection. Throws if a condition has no value. */
export function isIncluded(
  node: { readonly directives?: readonly DirectiveNode[] | undefined },
  variableValues: GraphQLResolveInfo['variableValues'],
): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues);
  return skip?.if !== true && include?.if !== false;
}
