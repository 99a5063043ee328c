import { ID_PATTERN } from '../upstream/path.ts';
import { badInput } from './bad-input.ts';

/** A kind of node: three letters that start the node ids of one type, such as `txn`. */
interface NodeKind {
  readonly typeName: string;
  /** Matches what follows the prefix. */
  readonly idPattern: RegExp;
}

const kinds = new Map<string, NodeKind>();

const KIND = /^[a-z]{3}$/;
const NODE_ID = /^([a-z]{3})_(.*)$/s;

/** Declares a kind of node. A second declaration of the same kind throws. */
export function registerKind(kind: string, typeName: string, idPattern = ID_PATTERN): void {
  if (!KIND.test(kind)) throw new Error(`A node kind has three lower-case letters, not "${kind}".`);
  const owner = kinds.get(kind);
  if (owner) throw new Error(`The node kind "${kind}" already belongs to ${owner.typeName}.`);
  kinds.set(kind, { typeName, idPattern });
}

function typeNameOf(kind: string): string {
  const found = kinds.get(kind);
  if (found) return found.typeName;
  throw new Error(`No type has the node kind "${kind}". Declare it with implementNode.`);
}

/** The node id of a record. Opaque to clients, readable in a log. */
export function toNodeId(kind: string, rawId: string): string {
  typeNameOf(kind);
  return `${kind}_${rawId}`;
}

/**
 * Reads an `ID` argument: a node id of this kind, or a `rawId`. Rejects a node id of another type,
 * and an id that is not safe in a path, as bad input.
 */
export function readId(kind: string, id: string, argument = 'id'): string {
  const expected = typeNameOf(kind);
  const [, prefix = '', rest = ''] = NODE_ID.exec(id) ?? [];
  const other = prefix === kind ? undefined : kinds.get(prefix);
  if (other) {
    throw badInput(
      `\`${argument}\` is an id of type ${other.typeName}; it must be an id of type ${expected}.`,
      argument,
    );
  }
  const rawId = prefix === kind ? rest : id;
  if (ID_PATTERN.test(rawId)) return rawId;
  throw badInput(
    `\`${argument}\` is not a valid id: an id has 1 to 128 letters, digits, \`-\` or \`_\`.`,
    argument,
  );
}

/** Reads an argument that accepts only node ids, such as that of `Query.node`. */
export function readNodeId(id: string, argument = 'id'): { kind: string; rawId: string } {
  const [, kind = '', rawId = ''] = NODE_ID.exec(id) ?? [];
  if (kinds.get(kind)?.idPattern.test(rawId)) return { kind, rawId };
  throw badInput(
    `\`${argument}\` is not a node id. Use the value of a field \`id\`. For a \`rawId\`, use the query of its type, such as \`merchant\`.`,
    argument,
  );
}
