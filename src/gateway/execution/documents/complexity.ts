import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
} from 'graphql';
import { DEFAULT_PAGE_SIZE } from '../../schema/paging.ts';

/** Values of a request's variables, as the client sent them. */
export type Variables = Readonly<Record<string, unknown>>;

/** Expected number of items in a list without a page size, such as a trail. */
const LIST_SIZE = 3;
/** Approximate number of objects in the complete schema. Its lists are not counted one by one. */
const SCHEMA_SIZE = 2_000;
/** Types of Relay's pagination. */
const IS_PAGING = /(?:Connection|Edge|^PageInfo)$/;

/** What the complexity of one operation depends on. */
interface Request {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The value of a variable. */
  readonly readVariable: (name: string) => unknown;
  readonly defaultPageSize: number;
  /** Complexity of the fragments, by their names. */
  readonly known: Map<string, number>;
}

/** The complexity of an operation. */
export interface Complexity {
  readonly points: number;
  /** The variables that it depends on, with the values that the client sent. */
  readonly read: ReadonlyMap<string, unknown>;
}

/**
 * The complexity of an operation: how many objects its response can have. A list counts once for
 * each item that it can have: the page size of a connection, the number of ids, or
 * {@link LIST_SIZE}. Connections and edges count as 0, and `__schema` counts as
 * {@link SCHEMA_SIZE}. Takes time in proportion to the size of the document.
 */
function complexityOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  schema: GraphQLSchema,
  defaultPageSize: number,
): Complexity {
  const fragments = fragmentsOf(document);
  const defaults = defaultsOf(operation);
  const read = new Map<string, unknown>();
  const readVariable = (name: string) => {
    const sent = variables[name];
    read.set(name, sent);
    return sent === undefined ? defaults[name] : sent;
  };
  const request = { schema, fragments, readVariable, defaultPageSize, known: new Map() };
  const points = costOf(operation.selectionSet, schema.getRootType(operation.operation), request);
  return { points, read };
}

/** Default values of variables; only those that are whole numbers or booleans matter here. */
function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, literal(defaultValue, none)]],
    ),
  );
}

const none = () => undefined;

function costOf(
  { selections }: SelectionSetNode,
  type: GraphQLCompositeType | null | undefined,
  request: Request,
): number {
  return selections.reduce((sum, selection) => sum + costOfSelection(selection, type, request), 0);
}

function costOfSelection(
  selection: SelectionNode,
  type: GraphQLCompositeType | null | undefined,
  request: Request,
): number {
  if (isLeftOut(selection, request.readVariable)) return 0;
  switch (selection.kind) {
    case Kind.FIELD:
      return costOfField(selection, type, request);
    case Kind.INLINE_FRAGMENT: {
      const { typeCondition, selectionSet } = selection;
      const inner = typeCondition ? composite(typeCondition.name.value, request.schema) : type;
      return costOf(selectionSet, inner, request);
    }
    case Kind.FRAGMENT_SPREAD:
      return costOfFragment(selection.name.value, request);
  }
}

function costOfFragment(name: string, request: Request): number {
  const { fragments, known, schema } = request;
  const fragment = fragments.get(name);
  const cost = known.get(name);
  if (cost !== undefined || fragment === undefined) return cost ?? 0;
  const { typeCondition, selectionSet } = fragment;
  const measured = costOf(selectionSet, composite(typeCondition.name.value, schema), request);
  known.set(name, measured);
  return measured;
}

function costOfField(
  node: FieldNode,
  type: GraphQLCompositeType | null | undefined,
  request: Request,
): number {
  const field = fieldOf(type, node.name.value);
  if (node.selectionSet === undefined || !field) return 0;
  if (field === SchemaMetaFieldDef) return SCHEMA_SIZE;
  const inner = getNamedType(field.type);
  const own = IS_PAGING.test(inner.name) ? 0 : 1;
  const content = costOf(node.selectionSet, isCompositeType(inner) ? inner : null, request);
  return itemsOf(node, field, request) * (own + content);
}

function fieldOf(type: GraphQLCompositeType | null | undefined, name: string) {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return type && 'getFields' in type ? type.getFields()[name] : undefined;
}

/** How many items a field can return. */
function itemsOf(node: FieldNode, field: GraphQLField<unknown, unknown>, request: Request): number {
  const { readVariable, defaultPageSize } = request;
  const argumentOf = (name: string) => {
    const argument = node.arguments?.find((one) => one.name.value === name);
    return argument && literal(argument.value, readVariable);
  };
  const takes = (name: string) => field.args.some((argument) => argument.name === name);
  if (takes('first')) {
    const size = argumentOf('first') ?? argumentOf('last') ?? defaultPageSize;
    return typeof size === 'number' && size > 0 ? size : 0;
  }
  for (const argument of field.args) {
    const values = takesIds(argument) ? argumentOf(argument.name) : undefined;
    if (Array.isArray(values)) return values.length;
  }
  const { type } = field;
  const inner = getNamedType(type);
  return isListType(getNullableType(type)) &&
    !isIntrospectionType(inner) &&
    !IS_PAGING.test(inner.name)
    ? LIST_SIZE
    : 1;
}

/** Whether an argument is a list of ids or of references, so that the field has an item for each. */
function takesIds({ type }: GraphQLArgument): boolean {
  return isListType(getNullableType(type)) && isScalarType(getNamedType(type));
}

/**
 * Whether `@skip` or `@include` leaves a selection out of this request. graphql-js would throw for a
 * condition without a value, which counts as selected here.
 */
function isLeftOut(
  { directives = [] }: SelectionNode,
  readVariable: Request['readVariable'],
): boolean {
  return directives.some(({ name, arguments: given = [] }) => {
    const condition = given[0] && literal(given[0].value, readVariable);
    return (
      (name.value === 'skip' && condition === true) ||
      (name.value === 'include' && condition === false)
    );
  });
}

/** The value of a literal, as far as complexity depends on it. */
function literal(value: ValueNode, readVariable: Request['readVariable']): unknown {
  switch (value.kind) {
    case Kind.VARIABLE:
      return readVariable(value.name.value);
    case Kind.INT:
      return Number(value.value);
    case Kind.BOOLEAN:
      return value.value;
    case Kind.LIST:
      return value.values;
    default:
      return undefined;
  }
}

function composite(name: string, schema: GraphQLSchema): GraphQLCompositeType | null {
  const type = schema.getType(name);
  return isCompositeType(type) ? type : null;
}

/** The fragments of a document, by their names. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
  }
  return fragments;
}

/** Returns the complexity of an operation of a document with these variables. */
export type MeasureComplexity = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
) => number;

/**
 * Creates the function that measures complexity. It keeps the last complexity of each operation
 * until a variable that it depends on has another value: page sizes rarely change.
 */
export function createMeasureComplexity(schema: GraphQLSchema): MeasureComplexity {
  const known = new WeakMap<OperationDefinitionNode, Complexity>();
  return (document, operation, variables) => {
    const last = known.get(operation);
    if (last !== undefined && hasSameValues(last, variables)) return last.points;
    const complexity = complexityOf(document, operation, variables, schema, DEFAULT_PAGE_SIZE);
    if (isSmall(complexity)) known.set(operation, complexity);
    return complexity.points;
  };
}

function hasSameValues({ read }: Complexity, variables: Variables): boolean {
  for (const [name, value] of read) if (variables[name] !== value) return false;
  return true;
}

/** Whether a complexity can be kept. No cache counts the bytes of the values in it. */
function isSmall({ read }: Complexity): boolean {
  for (const value of read.values())
    if (Object(value) === value || typeof value === 'string') return false;
  return true;
}
