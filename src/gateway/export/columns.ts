import {
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** The type of a column's values where JSON does not show it. */
export type ColumnKind = 'DATE' | 'DATE_TIME' | 'DECIMAL' | 'OTHER';

/** A column of a table. */
export interface Column {
  /** Path of its values: response names, outermost first. */
  readonly path: readonly string[];
  readonly kind: ColumnKind;
}

/** The schema and the fragments of a selection. */
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
  for (const column of columnsIn(set, type, selected)) columns.set(column.path.join('.'), column);
  return [...columns.values()];
}

/**
 * @param spread the fragments already read at this level. Without it, nested fragments could take
 *   exponential time
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
    if (selection.selectionSet === undefined || isList || !isCompositeType(inner)) {
      const kind = isList ? 'OTHER' : kindOf(type, selection.name.value, inner);
      return [{ path: [key], kind }];
    }
    return columnsIn(selection.selectionSet, inner, selected).map(({ path, kind }) => ({
      path: [key, ...path],
      kind,
    }));
  });
}

const KINDS = new Map<string | undefined, ColumnKind>([
  ['Date', 'DATE'],
  ['DateTime', 'DATE_TIME'],
]);

function kindOf(
  type: GraphQLCompositeType,
  field: string,
  inner: GraphQLNamedType | undefined,
): ColumnKind {
  // Decimals are strings, because JSON numbers are read as binary ones.
  if (type.name === 'Money' && field === 'decimal') return 'DECIMAL';
  return KINDS.get(inner?.name) ?? 'OTHER';
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

/** The value at a path in a node. */
export function readPath(node: unknown, path: Column['path']): unknown {
  let value = node;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return null;
    // An object can have any property.
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** Whether a type is a connection. */
export function isConnection(type: unknown): type is GraphQLCompositeType {
  return isObjectType(type) && type.name.endsWith('Connection');
}
