import { createHash, randomBytes } from 'node:crypto';

/** The caller's key, ready to be forwarded to the payments service. */
export interface Credential {
  /** The header to send: always Basic with an empty user name. */
  readonly authorization: string;
  /** What the process knows it by: salted, so that it means nothing outside. */
  readonly digest: string;
}

const salt = randomBytes(32);
const KEY = /^[!-~]{1,200}$/;

/**
 * Reads `Authorization: Bearer <key>` or Basic with an empty user name. Anything else
 * counts as no credential: the fields that need one then answer UNAUTHENTICATED.
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
