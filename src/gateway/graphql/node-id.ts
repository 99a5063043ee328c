import { GraphQLError } from 'graphql';
import { ID_PATTERN } from '../rest/path.ts';

/** The kinds of node, by the prefix of their ids. */
export const nodeKinds = {
  usr: 'User',
  app: 'App',
  mer: 'Merchant',
  mbr: 'MerchantMember',
  txn: 'Transaction',
  lin: 'Line',
  crd: 'Card',
  dsp: 'Dispute',
  frd: 'FraudAlert',
} as const;

/** Prefix of a node id. */
export type NodeKind = keyof typeof nodeKinds;

const FORMED = /^([a-z]{3})_(.*)$/s;

function isKind(prefix: string | undefined): prefix is NodeKind {
  return prefix !== undefined && Object.hasOwn(nodeKinds, prefix);
}

/** The id of a node in the graph: opaque by contract, readable in a log. */
export function toNodeId(kind: NodeKind, rawId: string): string {
  return `${kind}_${rawId}`;
}

/** A complaint about an argument that no service needs to be asked about. */
export function badInput(message: string, argument: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', argument } });
}

/**
 * Reads an `ID` argument: a node id of the right kind, or the service's own id. An id
 * of another type is refused by name, and nothing that could change an address passes.
 */
export function readId(kind: NodeKind, id: string, argument = 'id'): string {
  const [, prefix, rest] = FORMED.exec(id) ?? [];
  if (isKind(prefix) && prefix !== kind) {
    throw badInput(
      `\`${argument}\` names a ${nodeKinds[prefix]}; a ${nodeKinds[kind]} was expected.`,
      argument,
    );
  }
  const rawId = prefix === kind ? (rest ?? '') : id;
  if (ID_PATTERN.test(rawId)) return rawId;
  throw badInput(
    `\`${argument}\` is not an id: 1 to 128 letters, digits, \`-\` or \`_\`.`,
    argument,
  );
}

const JOINED = /^([A-Za-z0-9_-]{1,128})\.([A-Za-z0-9_-]{1,128})$/;

/** Two raw ids as one, for what the service cannot find by its own id alone. */
export function joinIds(parent: string, id: string): string {
  return `${parent}.${id}`;
}

/** The two ids of {@link joinIds}. */
export function splitIds(joined: string): readonly [parent: string, id: string] {
  const [, parent = '', id = ''] = JOINED.exec(joined) ?? [];
  return [parent, id];
}

/**
 * Reads an `ID` argument that names a part of something: a node id, which must be of
 * that very thing, or the service's own id.
 */
export function readPartId(kind: NodeKind, id: string, parent: string, argument: string): string {
  const joined = JOINED.exec(id.startsWith(`${kind}_`) ? id.slice(kind.length + 1) : '');
  if (joined === null) return readId(kind, id, argument);
  const [, ownParent, rawId = ''] = joined;
  if (ownParent === parent) return rawId;
  throw badInput(`\`${argument}\` belongs to another merchant.`, argument);
}

/** Reads the argument of `node`, which takes node ids only. */
export function readNodeId(id: string, argument = 'id'): { kind: NodeKind; rawId: string } {
  const [, prefix, rawId] = FORMED.exec(id) ?? [];
  if (!isKind(prefix) || !(prefix === 'mbr' ? JOINED : ID_PATTERN).test(rawId ?? '')) {
    throw badInput(
      `\`${argument}\` is not a node id. Node ids come from a field \`id\`; for a service's own id use the field of its type, such as \`merchant\`.`,
      argument,
    );
  }
  return { kind: prefix, rawId: rawId as string };
}
