import {
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** Where the value of a column is: the names in a response, from the outside in. */
export type Column = readonly string[];

/** What columns are found with. */
export interface Selected {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** The columns of a selection, in its order. A list is one column. */
export function columnsOf(
  set: SelectionSetNode,
  type: GraphQLCompositeType,
  selected: Selected,
): Column[] {
  const columns = new Map<string, Column>();
  for (const column of columnsIn(set, type, selected)) columns.set(column.join('.'), column);
  return [...columns.values()];
}

/**
 * @param spread the fragments of this level that were read. Fragments can contain each other so
 * often that nobody could wait for the end
 */
function columnsIn(
  set: SelectionSetNode,
  type: GraphQLCompositeType,
  selected: Selected,
  spread = new Set<string>(),
): Column[] {
  return set.selections.flatMap((selection): Column[] => {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const on = typeNamed(selection.typeCondition?.name.value, type, selected);
      return columnsIn(selection.selectionSet, on, selected, spread);
    }
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const name = selection.name.value;
      const fragment = selected.fragments.get(name);
      if (fragment === undefined || spread.has(name)) return [];
      spread.add(name);
      const on = typeNamed(fragment.typeCondition.name.value, type, selected);
      return columnsIn(fragment.selectionSet, on, selected, spread);
    }
    const key = (selection.alias ?? selection.name).value;
    const field = fieldOf(type, selection.name.value);
    const inner = field && getNamedType(field.type);
    const isList = field !== undefined && isListType(getNullableType(field.type));
    if (selection.selectionSet === undefined || isList || !isCompositeType(inner)) return [[key]];
    return columnsIn(selection.selectionSet, inner, selected).map((column) => [key, ...column]);
  });
}

function typeNamed(
  name: string | undefined,
  otherwise: GraphQLCompositeType,
  { schema }: Selected,
): GraphQLCompositeType {
  const type = name === undefined ? undefined : schema.getType(name);
  return isCompositeType(type) ? type : otherwise;
}

/** A field of a type; undefined for `__typename`. */
export function fieldOf(type: GraphQLCompositeType, name: string) {
  return 'getFields' in type ? type.getFields()[name] : undefined;
}

/** The value of a column in a node. */
export function readPath(node: unknown, column: Column): unknown {
  let value = node;
  for (const key of column) {
    if (typeof value !== 'object' || value === null) return null;
    // An object may have any property.
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** Whether a type is a connection. */
export function isConnection(type: unknown): type is GraphQLCompositeType {
  return isObjectType(type) && type.name.endsWith('Connection');
}
