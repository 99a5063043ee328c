import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  getArgumentValues,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from './context.ts';
import type { SelectionInfo } from './selection.ts';

declare module './context.ts' {
  interface Context {
    /** Reads fields at the same time as the object they belong to; undefined if turned off. */
    readonly ahead: ReadAhead | undefined;
  }
}

/** Reads the value of a field of the object with an id. */
type Read<Args, T> = (id: string, args: Args, context: Context, info: SelectionInfo) => Promise<T>;

type Arguments = Readonly<Record<string, unknown>>;

/** How a field is read before its object is available. */
interface Ahead {
  readonly read: Read<never, unknown>;
  readonly canRead: (args: never) => boolean;
}

/** By type name, a dot, and field name. */
const registered = new Map<string, Ahead>();

/**
 * Declares that a field can be read at the same time as its object, because it needs only the
 * object's id. Returns a function that returns what was read ahead, or else reads the field.
 *
 * @param canRead whether the field can be read ahead with these arguments
 */
export function readableAhead<Args, T>(
  typeName: string,
  fieldName: string,
  read: Read<Args, T>,
  canRead: (args: Args) => boolean,
): Read<Args, T> {
  registered.set(`${typeName}.${fieldName}`, { read, canRead });
  return (id, args, context, info) =>
    // A value read ahead for this field comes from the same function.
    (context.ahead?.find(id, info) as Promise<T> | undefined) ?? read(id, args, context, info);
}

/** A selected field that can be read ahead. */
interface Candidate extends Ahead {
  readonly nodes: readonly [FieldNode];
  /** Throws if the arguments are not valid. */
  readonly readArguments: (variables: SelectionInfo['variableValues']) => Arguments;
}

/** What can be read ahead, by the node of the field that returns the object. */
const candidatesOf = new WeakMap<FieldNode, readonly Candidate[]>();

const resolved = Promise.resolve();

/** Maximum values that one request reads ahead. They are wasted if their objects do not exist. */
const MAX_VALUES = 4;

/** The values that one request reads ahead. */
export class ReadAhead {
  readonly #hasSpare: () => boolean;
  /** Number of reads started. Several objects can have the same field of a fragment. */
  #begun = 0;
  readonly #values = new Map<
    FieldNode,
    { readonly id: string; readonly value: Promise<unknown> }
  >();

  /** @param hasSpare whether a call that may be wasted can be made now */
  constructor(hasSpare: () => boolean) {
    this.#hasSpare = hasSpare;
  }

  /**
   * Starts reading what the query selects of an object, at the same time as the object. If the
   * object does not exist, these calls are wasted.
   *
   * @param typeName the type of the object
   * @param info of the field that returns the object
   */
  begin(typeName: string, id: string, context: Context, info: GraphQLResolveInfo): void {
    const [node, another] = info.fieldNodes;
    // The selections of several nodes would have to be merged.
    if (node === undefined || another !== undefined) return;
    let candidates = candidatesOf.get(node);
    if (candidates === undefined) {
      candidates = findCandidates(typeName, node, info);
      candidatesOf.set(node, candidates);
    }
    if (candidates.length === 0) return;
    const read = () => {
      for (const candidate of candidates) this.#read(candidate, id, context, info);
    };
    // The call for the object comes first.
    void resolved.then(read);
  }

  /** Never throws: if the field is resolved, it reports what is wrong. */
  #read(candidate: Candidate, id: string, context: Context, info: SelectionInfo): void {
    if (this.#begun >= MAX_VALUES || !this.#hasSpare()) return;
    const { read, canRead, nodes, readArguments } = candidate;
    const { fragments, variableValues } = info;
    try {
      // The arguments have the types of the field for which `read` was registered.
      const args = readArguments(variableValues) as never;
      if (!canRead(args)) return;
      this.#begun++;
      const value = read(id, args, context, { fieldNodes: nodes, fragments, variableValues });
      value.catch(() => {});
      this.#values.set(nodes[0], { id, value });
    } catch {
      // The arguments or a condition are not valid.
    }
  }

  /**
   * The value read for a field of the object with this id. Two objects can share a field of a
   * fragment: only the second one's value is kept, and the first one's is read again.
   */
  find(id: string, { fieldNodes: [node, another] }: SelectionInfo): Promise<unknown> | undefined {
    // Another selection of the same field may need more, such as the flags of a page.
    if (node === undefined || another !== undefined) return undefined;
    const found = this.#values.get(node);
    return found?.id === id ? found.value : undefined;
  }
}

/** The selected fields that can be read ahead and are not merged with others. */
function findCandidates(
  typeName: string,
  { selectionSet }: FieldNode,
  { schema, fragments }: GraphQLResolveInfo,
): Candidate[] {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return [];
  const byKey = new Map<string, FieldNode[]>();
  collect(typeName, selectionSet, fragments, byKey, new Set());
  return [...byKey.values()].flatMap(([node, another]) => {
    if (node === undefined || another !== undefined) return [];
    const field = type.getFields()[node.name.value];
    const ahead = registered.get(`${typeName}.${node.name.value}`);
    if (field === undefined || ahead === undefined) return [];
    return [{ ...ahead, nodes: [node] as const, readArguments: argumentsOf(field, node) }];
  });
}

const SIMPLE: ReadonlySet<string> = new Set([Kind.INT, Kind.STRING, Kind.BOOLEAN, Kind.ENUM]);

/** Arguments without variables are the same for all requests. */
function argumentsOf(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): Candidate['readArguments'] {
  let constant: Arguments | undefined;
  const isConstant = (node.arguments ?? []).every(({ value }) => SIMPLE.has(value.kind));
  return (variables) => {
    if (constant !== undefined) return constant;
    const values = getArgumentValues(field, node, variables);
    if (isConstant) constant = values;
    return values;
  };
}

/**
 * Collects the selected fields by response name. Skips selections with directives, because the
 * request can exclude them.
 */
function collect(
  typeName: string,
  set: SelectionSetNode | undefined,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
  byKey: Map<string, FieldNode[]>,
  visited: Set<string>,
): void {
  for (const selection of set?.selections ?? []) {
    if (selection.directives !== undefined && selection.directives.length > 0) continue;
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value;
      byKey.set(key, [...(byKey.get(key) ?? []), selection]);
      continue;
    }
    const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
    if (isSpread && visited.has(selection.name.value)) continue;
    if (isSpread) visited.add(selection.name.value);
    const fragment = isSpread ? fragments[selection.name.value] : selection;
    const condition = fragment?.typeCondition?.name.value ?? typeName;
    if (condition === typeName) {
      collect(typeName, fragment?.selectionSet, fragments, byKey, visited);
    }
  }
}
