import { badInput } from './bad-input.ts';
import { builder, type GraphObject } from './builder.ts';
import type { Context } from './context.ts';
import { readNodeId, registerKind, toNodeId } from './node-id.ts';

/** What every node has: its `rawId`. */
interface Identified {
  readonly id: string;
}

/** Each id may cost a call. */
const MAX_NODES = 100;

type LoadNode = (rawId: string, context: Context) => Promise<Identified | null>;

const loaders = new Map<string, { readonly typeName: string; readonly load: LoadNode }>();
const typeNames = new WeakMap<Identified, string>();

/** The interface of every type that `Query.node` can return. */
export const NodeRef = builder.interfaceRef<Identified>('Node').implement({
  description: 'A record that `Query.node` can load by its node id.',
  fields: (t) => ({
    id: t.id({
      description: 'Node id, unique across all types. Opaque: do not parse it.',
      resolve: ({ id }) => id,
    }),
  }),
  resolveType: nodeType,
});

/** The type of a node that {@link loadNode} returned. */
export function nodeType(node: Identified): string {
  const name = typeNames.get(node);
  if (name === undefined) throw new Error('A node must come from loadNode.');
  return name;
}

/** How the node ids of a type differ from the default. */
export interface NodeIdForm<T> {
  /** The part of the node id after the prefix; the raw id by default. */
  readonly toId: (node: T) => string;
  /** Matches that part. */
  readonly idPattern: RegExp;
  /** Whether the record is the gateway's own, without an id in a REST service. */
  readonly isOwn: boolean;
}

/**
 * Makes a type a node: declares its kind, adds its ids, and sets how `Query.node`
 * loads it. `load` gets the part of the node id after the prefix.
 */
export function implementNode<T extends Identified>(
  ref: GraphObject<T>,
  kind: string,
  load: LoadNode,
  { toId = ({ id }) => id, idPattern, isOwn = false }: Partial<NodeIdForm<T>> = {},
): void {
  registerKind(kind, ref.name, idPattern);
  loaders.set(kind, { typeName: ref.name, load });
  builder.objectFields(ref, (t) => ({
    id: t.id({
      description:
        'Node id, unique across all types. Opaque: do not parse it. Pass it to `Query.node`.',
      // Pothos cannot infer the shape of a type parameter; the ref's shape is T.
      resolve: (node) => toNodeId(kind, toId(node as T)),
    }),
  }));
  if (isOwn) return;
  builder.objectField(ref, 'rawId', (t) =>
    t.id({
      description: 'The id of this record in the REST service that it comes from.',
      resolve: ({ id }) => id,
    }),
  );
}

/**
 * Loads a node of any type by its node id. `null` if it does not exist. Rejects a malformed id as
 * bad input of `argument`.
 */
export async function loadNode(
  id: string,
  context: Context,
  argument: string,
): Promise<Identified | null> {
  const { kind, rawId } = readNodeId(id, argument);
  const loader = loaders.get(kind);
  const node = (await loader?.load(rawId, context)) ?? null;
  if (loader && node) typeNames.set(node, loader.typeName);
  return node;
}

builder.queryFields((t) => ({
  node: t.field({
    type: NodeRef,
    nullable: true,
    description: 'A record by its node id. Null if it does not exist.',
    args: { id: t.arg.id({ required: true, description: 'A node id.' }) },
    resolve: (_root, { id }, context) => loadNode(id, context, 'id'),
  }),
  nodes: t.field({
    type: [NodeRef],
    nullable: { list: false, items: true },
    description:
      'Records by their node ids, in the order of `ids`. An item is null if the record does not exist.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Up to 100 node ids.' }),
    },
    resolve: (_root, { ids }, context) => {
      if (ids.length > MAX_NODES) {
        throw badInput(`\`ids\` must have up to ${MAX_NODES} items; it had ${ids.length}.`, 'ids');
      }
      return Promise.all(ids.map((id) => loadNode(id, context, 'ids').catch((error) => error)));
    },
  }),
}));
