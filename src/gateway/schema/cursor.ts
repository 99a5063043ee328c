import { badInput } from './bad-input.ts';

/** A decoded cursor: version, kind of node, raw id. */
const DECODED = /^1:[a-z]{3}:[A-Za-z0-9_-]{1,128}$/;

/** The place of a record in a list, opaque to clients. */
export function toCursor(kind: string, rawId: string): string {
  return encode(`1:${kind}:${rawId}`);
}

/** Reads a cursor of a list of this kind. An empty cursor counts as absent. */
export function readCursor(
  kind: string,
  cursor: string | null | undefined,
  argument: string,
): string | undefined {
  if (!cursor) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  // Encode it again, because Buffer ignores characters outside base64url.
  if (!DECODED.test(text) || encode(text) !== cursor) {
    throw badInput(
      `\`${argument}\` is not a cursor. Use a cursor from \`pageInfo\` or \`edges\`.`,
      argument,
    );
  }
  const [, foundKind, rawId] = text.split(':');
  if (foundKind !== kind) {
    throw badInput(`\`${argument}\` is a cursor of another list.`, argument);
  }
  return rawId;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
