import { createHash, randomBytes } from 'node:crypto';

/** The caller's key, in the form that the payments service accepts. */
export interface Credential {
  /** The `Authorization` header to send: Basic with an empty user name. */
  readonly authorization: string;
  /** Identifies the key inside this process. Salted, so it reveals nothing elsewhere. */
  readonly digest: string;
}

const salt = randomBytes(32);
const KEY = /^[!-~]{1,200}$/;

/**
 * Reads `Authorization: Bearer <key>`, or Basic with an empty user name. Any other header
 * counts as no credential, and fields that need one return the error UNAUTHENTICATED.
 */
export function readCredential(header: string | null | undefined): Credential | undefined {
  const [, scheme, value] = /^(basic|bearer) +([^ ]+)$/i.exec(header ?? '') ?? [];
  if (scheme === undefined || value === undefined) return undefined;
  const key = scheme.toLowerCase() === 'bearer' ? value : keyOfBasic(value);
  if (key === undefined || !KEY.test(key)) return undefined;
  return {
    authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}`,
    digest: createHash('sha256').update(salt).update(key).digest('base64'),
  };
}

function keyOfBasic(value: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return undefined;
  const text = Buffer.from(value, 'base64').toString('utf8');
  return text.startsWith(':') ? text.slice(1) : undefined;
}
