import { badInput, type NodeKind } from './node-id.ts';

const VERSION = '1';

/** The place of a record in a list, opaque: version, kind of list, raw id. */
export function toCursor(kind: NodeKind, rawId: string): string {
  return Buffer.from(`${VERSION}:${kind}:${rawId}`).toString('base64url');
}

/** Reads a cursor of a list of this kind; an empty one counts as absent. */
export function readCursor(
  kind: NodeKind,
  cursor: string | null | undefined,
  argument: string,
): string | undefined {
  if (cursor === null || cursor === undefined || cursor === '') return undefined;
  const text = /^[\w-]{1,256}$/.test(cursor) ? Buffer.from(cursor, 'base64url').toString() : '';
  const [, foundKind, rawId] = /^1:([a-z]{3}):([A-Za-z0-9_-]{1,128})$/.exec(text) ?? [];
  if (rawId === undefined || toCursor(foundKind as NodeKind, rawId) !== cursor) {
    throw badInput(
      `\`${argument}\` is not a cursor; take one from \`pageInfo\` or \`edges\`.`,
      argument,
    );
  }
  if (foundKind !== kind) {
    throw badInput(`\`${argument}\` is a cursor of another list.`, argument);
  }
  return rawId;
}
