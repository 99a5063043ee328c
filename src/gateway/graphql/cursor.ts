import { badInput } from './bad-input.ts';

const VERSION = '1';

/** The place of a record in a list, opaque to clients: version, kind of node, raw id. */
export function toCursor(kind: string, rawId: string): string {
  return Buffer.from(`${VERSION}:${kind}:${rawId}`).toString('base64url');
}

/** Reads a cursor of a list of this kind. An empty cursor counts as absent. */
export function readCursor(
  kind: string,
  cursor: string | null | undefined,
  argument: string,
): string | undefined {
  if (cursor === null || cursor === undefined || cursor === '') return undefined;
  const text = /^[\w-]{1,256}$/.test(cursor) ? Buffer.from(cursor, 'base64url').toString() : '';
  const [, foundKind = '', rawId] = /^1:([a-z]{3}):([A-Za-z0-9_-]{1,128})$/.exec(text) ?? [];
  if (rawId === undefined || toCursor(foundKind, rawId) !== cursor) {
    throw badInput(
      `\`${argument}\` is not a cursor. Use a cursor from \`pageInfo\` or \`edges\`.`,
      argument,
    );
  }
  if (foundKind !== kind) {
    throw badInput(`\`${argument}\` is a cursor of another list.`, argument);
  }
  return rawId;
}
