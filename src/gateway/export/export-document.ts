import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNullableType,
  isCompositeType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type Column, columnsOf, fieldOf, isConnection } from './columns.ts';

/** The variables that select a page. */
export const FIRST = '_exportFirst';
export const AFTER = '_exportAfter';

/** A query of one connection, page by page. */
export interface ExportDocument {
  readonly text: string;
  /** Path of the connection: response names. */
  readonly path: readonly string[];
  readonly columns: readonly Column[];
}

/** Why a query cannot be exported. */
export class ExportError extends Error {}

/**
 * Rewrites a query to read one page of one connection and nothing else. Throws an `ExportError`
 * that says what to change.
 *
 * @param path the response names that lead to the connection, such as `merchant.transactions`. If
 *   omitted, the query must select exactly one connection outside of lists
 */
export function toExportDocument(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  path: string | undefined,
  schema: GraphQLSchema,
): ExportDocument {
  if (operation.operation !== 'query') throw new ExportError('Only a query can be exported.');
  const names = (path ?? onlyPath(operation, schema)).split('.');
  const { fields, type } = findFields(operation, names, schema);
  const connection = fields.at(-1);
  if (connection === undefined) throw new ExportError('`path` must not be empty.');
  const fragments = fragmentsOf(document);
  const { nodes, nodeType } = nodesOf(connection, type);
  const columns = columnsOf(nodes, nodeType, { schema, fragments });
  const inside = fields
    .slice(0, -1)
    .reduceRight<FieldNode>(
      (inner, field) => ({ ...field, selectionSet: setOf([inner]) }),
      toPage(connection, nodes, type),
    );
  const rewritten = { ...operation, selectionSet: setOf([inside]) };
  return { text: print(withUsed(rewritten, fragments)), path: names, columns };
}

/** The path of the only connection that a query selects outside of lists. */
function onlyPath(operation: OperationDefinitionNode, schema: GraphQLSchema): string {
  const found = pathsBelow(operation.selectionSet, schema.getQueryType(), []);
  const [only, ...others] = found;
  if (only === undefined) {
    throw new ExportError(
      'The query selects no connection that can be exported: a field with `edges { node { … } }`, outside of lists and fragments.',
    );
  }
  if (others.length > 0) {
    throw new ExportError(`\`path\` must name one connection of the query: ${found.join(', ')}.`);
  }
  return only;
}

function pathsBelow(
  set: SelectionSetNode | undefined,
  type: GraphQLCompositeType | null | undefined,
  names: readonly string[],
): string[] {
  if (isConnection(type)) return [names.join('.')];
  if (set === undefined || !type) return [];
  return fieldsOf(set).flatMap((field) => {
    const below: unknown = getNullableType(fieldOf(type, field.name.value)?.type);
    if (!isCompositeType(below)) return [];
    return pathsBelow(field.selectionSet, below, [...names, keyOf(field)]);
  });
}

/** The fields along the path, from the root of an operation to a connection. */
function findFields(
  operation: OperationDefinitionNode,
  names: readonly string[],
  schema: GraphQLSchema,
) {
  let type: GraphQLCompositeType | null | undefined = schema.getQueryType();
  let set: SelectionSetNode | undefined = operation.selectionSet;
  const fields: FieldNode[] = [];
  for (const name of names) {
    const field: FieldNode | undefined = set && fieldNamed(set, name);
    if (field?.directives !== undefined && field.directives.length > 0) {
      throw new ExportError('The fields that `path` names must not have directives.');
    }
    if (field === undefined || !type) {
      throw new ExportError(
        '`path` must name fields of the query, from its root to a connection, separated by dots. A field inside a fragment cannot be named.',
      );
    }
    const found: unknown = getNullableType(fieldOf(type, field.name.value)?.type);
    if (isListType(found)) throw new ExportError('`path` must not go through a list.');
    type = isCompositeType(found) ? found : undefined;
    set = field.selectionSet;
    fields.push(field);
  }
  if (!isConnection(type)) throw new ExportError('`path` must lead to a connection.');
  return { fields, type };
}

const keyOf = ({ alias, name }: FieldNode) => (alias ?? name).value;

function fieldNamed(set: SelectionSetNode, key: string): FieldNode | undefined {
  const [field, ...others] = fieldsOf(set).filter((one) => keyOf(one) === key);
  if (others.length > 0) throw new ExportError(`The query must select \`${key}\` only once.`);
  return field;
}

function fieldsOf({ selections }: SelectionSetNode): FieldNode[] {
  return selections.filter((selection) => selection.kind === Kind.FIELD);
}

/** The selections on each node. */
function nodesOf({ selectionSet }: FieldNode, connection: GraphQLCompositeType) {
  const below = (set: SelectionSetNode | undefined, name: string) => {
    if (set?.selections.some(({ kind }) => kind !== Kind.FIELD)) {
      throw new ExportError('The connection and its edges must not contain fragments.');
    }
    return set === undefined ? [] : fieldsOf(set).filter((field) => field.name.value === name);
  };
  const selections = below(selectionSet, 'edges')
    .flatMap((edges) => below(edges.selectionSet, 'node'))
    .flatMap((node) => node.selectionSet?.selections ?? []);
  const nodeType = nodeTypeOf(connection);
  if (selections.length === 0 || nodeType === undefined) {
    throw new ExportError('The connection must select `edges { node { … } }`.');
  }
  return { nodes: setOf(selections), nodeType };
}

function nodeTypeOf(connection: GraphQLCompositeType): GraphQLCompositeType | undefined {
  const edges = getNullableType(fieldOf(connection, 'edges')?.type);
  const edge = isListType(edges) ? getNullableType(edges.ofType) : undefined;
  const node = isCompositeType(edge) ? getNullableType(fieldOf(edge, 'node')?.type) : undefined;
  return isCompositeType(node) ? node : undefined;
}

/** Selects one page: the cursors and nodes, and whether there are more. */
function toPage(
  connection: FieldNode,
  nodes: SelectionSetNode,
  type: GraphQLCompositeType,
): FieldNode {
  const given = connection.arguments ?? [];
  if (given.some(({ name }) => name.value === 'last' || name.value === 'before')) {
    throw new ExportError(
      'The connection must not have `last` or `before`: an export goes from the start of the list to its end.',
    );
  }
  const own = new Set(['first', 'after']);
  const others = given.filter(({ name }) => !own.has(name.value));
  // A filtered page can be short although more items follow.
  const hasSearch = fieldOf(type, 'search') !== undefined;
  const page = parse(
    `{ edges { cursor node { __typename } } pageInfo { endCursor } ${hasSearch ? 'search { complete skipped }' : ''} }`,
    { noLocation: true },
  );
  // The text above is one operation.
  const [definition] = page.definitions as [OperationDefinitionNode];
  const selectionSet: SelectionSetNode = visit(definition.selectionSet, {
    // On leaving: what is inserted on entering is visited too, and it may contain another `node`.
    Field: {
      leave: (field) =>
        field.name.value === 'node' ? { ...field, selectionSet: nodes } : undefined,
    },
  });
  const args = [...others, argument('first', FIRST), argument('after', AFTER)];
  return { ...connection, arguments: args, selectionSet };
}

const nameOf = (value: string) => ({ kind: Kind.NAME, value }) as const;
const argument = (name: string, variable: string): ArgumentNode => ({
  kind: Kind.ARGUMENT,
  name: nameOf(name),
  value: { kind: Kind.VARIABLE, name: nameOf(variable) },
});
const setOf = (selections: readonly SelectionNode[]): SelectionSetNode => ({
  kind: Kind.SELECTION_SET,
  selections,
});

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** A document with the operation, and only the fragments and variables that it uses. */
function withUsed(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DocumentNode {
  const variables = new Set<string>();
  const used = new Map<string, FragmentDefinitionNode>();
  const collect = (node: SelectionSetNode | FragmentDefinitionNode): void => {
    visit(node, {
      Variable: ({ name }) => void variables.add(name.value),
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (fragment === undefined || used.has(name.value)) return;
        used.set(name.value, fragment);
        collect(fragment);
      },
    });
  };
  collect(operation.selectionSet);
  const declared = (operation.variableDefinitions ?? []).filter(({ variable }) =>
    variables.has(variable.name.value),
  );
  if (declared.some(({ variable: { name } }) => name.value === FIRST || name.value === AFTER)) {
    throw new ExportError(`The query must not have the variables \`${FIRST}\` and \`${AFTER}\`.`);
  }
  // The text is one operation.
  const paging = parse(`query ($${FIRST}: Int, $${AFTER}: String) { __typename }`, {
    noLocation: true,
  }).definitions as [OperationDefinitionNode];
  const added = paging[0].variableDefinitions ?? [];
  return {
    kind: Kind.DOCUMENT,
    definitions: [{ ...operation, variableDefinitions: [...declared, ...added] }, ...used.values()],
  };
}
