import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentNode, GraphQLError } from 'graphql';
import type { ReadDocument } from '../read-document.ts';
import { checkDocumentId, hashIdOf, isWrongHash } from './document-id.ts';
import type { ManifestEntry } from './read-manifest.ts';
import { ManifestError } from './read-manifest.ts';

/** A document that the operator has given to the gateway. It can be executed. */
export interface KnownDocument {
  /** The first of its ids in the manifest. */
  readonly id: string;
  readonly text: string;
  readonly document: DocumentNode;
}

/** All documents of a manifest, by each of their ids, and by their text. */
export interface KnownDocuments {
  readonly byId: ReadonlyMap<string, KnownDocument>;
  readonly byText: ReadonlyMap<string, KnownDocument>;
}

/** No document. */
export const NO_DOCUMENTS: KnownDocuments = { byId: new Map(), byText: new Map() };

/** How long documents are read before waiting requests are handled. */
const TURN_MS = 5;

/**
 * Reads the documents of a manifest. Those that were known before are not read again, so that
 * their compiled operations are kept. Throws a `ManifestError` that lists all problems.
 *
 * @param path the path that the error names
 */
export async function toKnownDocuments(
  path: string,
  entries: readonly ManifestEntry[],
  before: KnownDocuments,
  read: (text: string) => ReadDocument,
): Promise<KnownDocuments> {
  const byId = new Map<string, KnownDocument>();
  const byText = new Map<string, KnownDocument>();
  const complaints: string[] = [];
  let turnEnd = performance.now() + TURN_MS;
  for (const { file, id, text } of entries) {
    if (performance.now() > turnEnd) {
      await nextTurn();
      turnEnd = performance.now() + TURN_MS;
    }
    const what = `${file}: the document with the id ${JSON.stringify(id)}`;
    const wrong = checkEntry(id, text, byId.get(id));
    const found =
      wrong === undefined && (byText.get(text) ?? before.byText.get(text) ?? read(text));
    if (found === false) {
      complaints.push(`${what} cannot be used. ${wrong}`);
    } else if ('errors' in found) {
      complaints.push(`${what} is not valid. ${describe(found.errors)}`);
    } else {
      const known = byText.get(text) ?? { id, text, document: found.document };
      byText.set(text, known);
      byId.set(id, known).set(hashIdOf(text), known);
    }
  }
  if (complaints.length > 0) throw new ManifestError(path, complaints);
  return { byId, byText };
}

function checkEntry(id: string, text: string, same: KnownDocument | undefined): string | undefined {
  const malformed = checkDocumentId(id);
  if (malformed !== undefined) return malformed;
  if (isWrongHash(id, text)) {
    return 'Its id is not the hash of its text. Generate the file again, and do not edit it.';
  }
  return same !== undefined && same.text !== text
    ? 'Another document has the same id. Give each document its own id.'
    : undefined;
}

/** Where the first problem is, and what to change. */
function describe([first, ...others]: readonly GraphQLError[]): string {
  const { message = '', locations, extensions } = first ?? {};
  const place = locations?.[0];
  const where = place ? ` (line ${place.line}, column ${place.column})` : '';
  const more = others.length > 0 ? ` It has ${others.length} more problems.` : '';
  const code = String(extensions?.code);
  const advice =
    code.endsWith('_LIMIT') && code !== 'MONEY_FIELD_LIMIT'
      ? 'Request less at once.'
      : 'Change the document in the client, and generate the file again.';
  return `${message}${where}${more} ${advice}`;
}
