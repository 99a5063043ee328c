import type { DocumentNode } from 'graphql';
import { newScope, type Scope } from '../../../channels.ts';
import { type DocumentRules, type ReadDocument, readDocument } from '../read-document.ts';
import { checkDocumentId } from './document-id.ts';
import {
  type KnownDocument,
  type KnownDocuments,
  NO_DOCUMENTS,
  toKnownDocuments,
} from './known-documents.ts';
import { readManifest } from './read-manifest.ts';

/** Which documents clients may send, and where the known ones are. */
export interface PersistedSettings {
  readonly mode: 'off' | 'prefer' | 'only' | 'report';
  readonly path?: string;
}

/** Why a request is not executed. */
export interface DocumentError {
  readonly code:
    | 'BAD_REQUEST'
    | 'PERSISTED_DOCUMENTS_NOT_SUPPORTED'
    | 'PERSISTED_DOCUMENT_NOT_FOUND'
    | 'PERSISTED_DOCUMENT_REQUIRED'
    | 'PERSISTED_QUERY_NOT_FOUND'
    | 'PERSISTED_QUERY_NOT_SUPPORTED';
  readonly message: string;
}

/** What a request names: a text, the id of a document, or its hash. */
export interface Named {
  readonly query?: string | undefined;
  readonly documentId?: string | undefined;
  /** The hash of an automatic persisted query, or the id in a manifest of Apollo. */
  readonly persistedHash?: string | undefined;
}

/** The documents that are known by an id. */
export interface PersistedDocuments {
  /** False if clients can only send texts. */
  readonly isOn: boolean;
  /** Finds the text that a request names, without parsing anything. */
  resolve(named: Named): string | DocumentError;
  /** A known document by its text. */
  find(text: string): KnownDocument | undefined;
  /** The id of a document that is or was known. */
  idOf(document: DocumentNode): string | undefined;
  /** Reads a text that was derived from a known document. */
  readDerived(text: string, from: DocumentNode, scope: Scope): ReadDocument | undefined;
  /**
   * Reads the documents from their files. Requests use the earlier documents until all new ones are
   * read. If one is not valid, throws a `ManifestError` and keeps the earlier documents.
   *
   * @returns how many documents there are
   */
  load(): Promise<number>;
}

/** How long the earlier documents are kept: reading a request never takes longer. */
const EARLIER_MS = 10_000;

/** Creates the lookup of documents. No document is known before the first load. */
export function createPersistedDocuments(
  { mode, path = '' }: PersistedSettings,
  rules: DocumentRules,
): PersistedDocuments {
  let current = NO_DOCUMENTS;
  /** For requests that found their text before the documents were replaced, and read it after. */
  let earlier = NO_DOCUMENTS;
  const ids = new WeakMap<DocumentNode, string>();
  let loading: Promise<unknown> = Promise.resolve();

  async function load(): Promise<number> {
    // The scope belongs to no request.
    const read = (text: string) => readDocument(text, rules, newScope());
    const loaded = await toKnownDocuments(path, await readManifest(path), current, read);
    for (const { document, id } of loaded.byText.values()) ids.set(document, id);
    const replaced = current;
    earlier = replaced;
    current = loaded;
    setTimeout(() => {
      if (earlier === replaced) earlier = NO_DOCUMENTS;
    }, EARLIER_MS).unref();
    return loaded.byText.size;
  }

  return {
    isOn: mode !== 'off',
    resolve: (named) => resolve(mode, current, named),
    find: (text) => current.byText.get(text) ?? earlier.byText.get(text),
    idOf: (document) => ids.get(document),
    readDerived: (text, from, scope) => {
      const id = ids.get(from);
      if (id === undefined) return undefined;
      const found = readDocument(text, rules, scope);
      if ('document' in found) ids.set(found.document, id);
      return found;
    },
    load: () => {
      // Loads run one after the other, so that the latest files take effect.
      const loaded = loading.then(load);
      loading = loaded.catch(() => {});
      return loaded;
    },
  };
}

function resolve(
  mode: PersistedSettings['mode'],
  { byId, byText }: KnownDocuments,
  { query = '', documentId, persistedHash }: Named,
): string | DocumentError {
  if (persistedHash !== undefined) {
    if (mode === 'off') return QUERY_NOT_SUPPORTED;
    const known = byId.get(persistedHash) ?? byId.get(`sha256:${persistedHash}`);
    return known?.text ?? QUERY_NOT_FOUND;
  }
  if (documentId === undefined) {
    return mode !== 'only' || byText.has(query) ? query : REQUIRED;
  }
  if (mode === 'off') return NOT_SUPPORTED;
  const malformed = checkDocumentId(documentId);
  if (malformed !== undefined) {
    return { code: 'BAD_REQUEST', message: `\`documentId\` is not an id. ${malformed}` };
  }
  return byId.get(documentId)?.text ?? NOT_FOUND;
}

const NOT_SUPPORTED: DocumentError = {
  code: 'PERSISTED_DOCUMENTS_NOT_SUPPORTED',
  message: 'This gateway knows no documents by their id. Send the text of the document as `query`.',
};

const NOT_FOUND: DocumentError = {
  code: 'PERSISTED_DOCUMENT_NOT_FOUND',
  message:
    'The gateway knows no document with this `documentId`. The operator must add it to the documents of the gateway.',
};

const REQUIRED: DocumentError = {
  code: 'PERSISTED_DOCUMENT_REQUIRED',
  message:
    'The gateway executes known documents only. Send the `documentId` of one of them in place of `query`.',
};

/** Clients recognise these two by their messages, and then send the text of the document. */
const QUERY_NOT_SUPPORTED: DocumentError = {
  code: 'PERSISTED_QUERY_NOT_SUPPORTED',
  message: 'PersistedQueryNotSupported',
};

const QUERY_NOT_FOUND: DocumentError = {
  code: 'PERSISTED_QUERY_NOT_FOUND',
  message: 'PersistedQueryNotFound',
};
