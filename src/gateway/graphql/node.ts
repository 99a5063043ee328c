import type { Context } from '../context.ts';
import { builder, type GraphObject } from './builder.ts';
import { badInput, type NodeKind, nodeKinds, readNodeId, toNodeId } from './node-id.ts';

/** What every node has: the service's own id. */
interface Identified {
  readonly id: string;
}

/** Each id may cost a call. */
const MAX_NODES = 100;

type LoadNode = (rawId: string, context: Context) => Promise<Identified | null>;

const loaders = new Map<NodeKind, LoadNode>();
const kinds = new WeakMap<Identified, NodeKind>();

/** Anything with an id that is unique in the whole graph. */
export const NodeRef = builder.interfaceRef<Identified>('Node').implement({
  description: 'Anything with an id of its own, to be fetched again through `Query.node`.',
  fields: (t) => ({
    id: t.id({ description: 'Unique in the whole graph, opaque.', resolve: ({ id }) => id }),
  }),
  resolveType: nodeType,
});

/** The type of a node that {@link loadNode} found. */
export function nodeType(node: Identified): string {
  return nodeKinds[kinds.get(node) as NodeKind];
}

/**
 * Makes a type a node: its two ids, and how `Query.node` finds it.
 *
 * @param nodeId what follows the prefix, where it is more than the raw id
 */
export function implementNode<T extends Identified>(
  ref: GraphObject<T>,
  kind: NodeKind,
  load: LoadNode,
  nodeId: (node: T) => string = ({ id }) => id,
): void {
  loaders.set(kind, load);
  builder.objectFields(ref, (t) => ({
    id: t.id({
      description: 'Unique in the whole graph, opaque. `Query.node` takes it.',
      resolve: (node) => toNodeId(kind, nodeId(node as T)),
    }),
    rawId: t.id({
      description: 'The id under which the service knows it.',
      resolve: ({ id }) => id,
    }),
  }));
}

/** Any node by its node id; null when it does not exist. `argument` is blamed for a malformed id. */
export async function loadNode(
  id: string,
  context: Context,
  argument: string,
): Promise<Identified | null> {
  const { kind, rawId } = readNodeId(id, argument);
  const node = (await loaders.get(kind)?.(rawId, context)) ?? null;
  if (node !== null) kinds.set(node, kind);
  return node;
}

builder.queryFields((t) => ({
  node: t.field({
    type: NodeRef,
    nullable: true,
    description: 'Any node by its id. Null when it does not exist, or no longer.',
    args: { id: t.arg.id({ required: true, description: 'A node id, from a field `id`.' }) },
    resolve: (_root, { id }, context) => loadNode(id, context, 'id'),
  }),
  nodes: t.field({
    type: [NodeRef],
    nullable: { list: false, items: true },
    description: 'Several nodes at once, in the order of their ids; null for what does not exist.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Node ids, at most 100.' }),
    },
    resolve: (_root, { ids }, context) => {
      if (ids.length > MAX_NODES) throw badInput(`\`ids\` takes at most ${MAX_NODES}.`, 'ids');
      return Promise.all(ids.map((id) => loadNode(id, context, 'ids').catch((error) => error)));
    },
  }),
}));
