import { hash } from 'node:crypto';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../../channels.ts';
import type { ReadDocument } from './read-document.ts';

/** Limits of the cache of documents. */
export interface DocumentCacheLimits {
  readonly documents: number;
  /** Bytes of documents that can be executed. Texts of other documents get an eighth of it. */
  readonly size: number;
  /** Number of documents that cannot be executed. */
  readonly invalid: number;
}

/** Reads a document for a request. */
export type ReadText = (text: string, scope: Scope) => ReadDocument;

/**
 * Caches what `read` returns for the most recently used documents. Documents that cannot be
 * executed are kept separately, so that they cannot displace those that can.
 */
export function cacheDocuments(
  read: ReadText,
  { documents, size, invalid }: DocumentCacheLimits,
): ReadText {
  const valid = new LRUCache<string, ReadDocument>({
    max: documents,
    maxSize: size,
    sizeCalculation: sizeInCache,
  });
  const failed = new LRUCache<string, ReadDocument>({
    max: invalid,
    maxSize: Math.ceil(size / 8),
    sizeCalculation: sizeInCache,
  });
  return (text, scope) => {
    const known = valid.get(text) ?? failed.get(text);
    if (known !== undefined) return known;
    const found = read(text, scope);
    ('document' in found ? valid : failed).set(text, found);
    return found;
  };
}

/** Of a document with errors, only the text is counted: it has few errors. */
function sizeInCache(read: ReadDocument, text: string): number {
  return 'document' in read ? sizeOf(read.document) : 2 * text.length + 1;
}

/** The most bytes that a parsed token took when it was measured. The least was 250 bytes. */
const BYTES_PER_TOKEN = 480;
const BYTES_PER_CHARACTER = 2;

/** The approximate number of bytes that a parsed document takes at most, with its text. */
export function sizeOf({ loc, tokenCount = 0 }: DocumentNode): number {
  return BYTES_PER_CHARACTER * (loc?.source.body.length ?? 0) + BYTES_PER_TOKEN * tokenCount;
}

/** The hash of a text. */
interface Hashed {
  readonly text: string;
  readonly hash: string;
}

/** The hashes of documents that were parsed. Each is kept as long as its document. */
const known = new WeakMap<DocumentNode, Hashed>();

/**
 * The SHA-256 of the text of a document, in hexadecimal. It is kept, because computing it takes
 * 33 µs if OpenSSL's code is not in the caches of the processor: a third of a short request.
 *
 * @param parsed the parsed text; undefined if it cannot be executed
 */
export function hashOf(text: string, parsed: DocumentNode | undefined): string {
  if (parsed === undefined) return hash('sha256', text);
  const before = known.get(parsed);
  if (before?.text === text) return before.hash;
  const hashed = { text, hash: hash('sha256', text) };
  known.set(parsed, hashed);
  return hashed.hash;
}
