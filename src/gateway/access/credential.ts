import { createHash, randomBytes } from 'node:crypto';

/** The key to send, in the form that the payments service accepts. */
export interface Credential {
  /** The `Authorization` header to send: Basic with an empty user name. */
  readonly authorization: string;
  /** Identifies the caller in this process, and in processes that share the salt. */
  readonly digest: string;
}

let salt: Uint8Array = randomBytes(32);

/**
 * Gives processes with the same salt the same digests, so that they can count a caller's use
 * together. Call it before the first request.
 */
export function shareSalt(shared: Uint8Array): void {
  salt = shared;
}

const BEARER = /^bearer +([!-~]{1,200})$/i;
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;
const EMPTY_USER_AND_KEY = /^:([!-~]{1,200})$/;

/**
 * Reads `Authorization: Bearer <key>`, or Basic with an empty user name. Any other header
 * counts as no credential, and fields that need one return the error UNAUTHENTICATED.
 */
export function readCredential(header: string | null | undefined): Credential | undefined {
  const key = header?.match(BEARER)?.[1] ?? keyOfBasic(header?.match(BASIC)?.[1]);
  return key === undefined ? undefined : createCredential(key, key);
}

/**
 * Creates the credential that sends a key.
 *
 * @param sender identifies the caller: the key itself, unless several callers use it
 */
export function createCredential(key: string, sender: string): Credential {
  return {
    authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}`,
    digest: createHash('sha256').update(salt).update(sender).digest('base64'),
  };
}

function keyOfBasic(encoded: string | undefined): string | undefined {
  if (encoded === undefined) return undefined;
  return Buffer.from(encoded, 'base64').toString().match(EMPTY_USER_AND_KEY)?.[1];
}
