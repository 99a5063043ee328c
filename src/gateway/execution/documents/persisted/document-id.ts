import { createHash } from 'node:crypto';

// The syntax of a document identifier in the draft "Persisted Documents" of GraphQL over HTTP.
const HASH = /^sha256:[0-9a-f]{64}$/;
const OWN_PREFIX = /^x-[\w.~-]+:[\w.~-]+$/;
const CUSTOM = /^[\w.~-]+$/;

/** What is wrong with an id, as a sentence without the id; undefined if it is an id. */
export function checkDocumentId(id: string): string | undefined {
  if (HASH.test(id) || OWN_PREFIX.test(id) || CUSTOM.test(id)) return undefined;
  if (id.startsWith('sha256:')) {
    return 'An id that begins with `sha256:` must continue with 64 hexadecimal digits in lower case.';
  }
  if (id.includes(':') && !id.startsWith('x-')) {
    return 'An id with a colon must begin with `sha256:` or with a prefix that begins with `x-`.';
  }
  return 'An id may contain ASCII letters, digits and `-._~` only, also after a prefix such as `x-app:`.';
}

/** The id that every text has: the hash of its UTF-8. */
export function hashIdOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Whether an id claims to be a hash that the text does not have. */
export function isWrongHash(id: string, text: string): boolean {
  return id.startsWith('sha256:') && id !== hashIdOf(text);
}
