import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { USER_AGENT } from '../../package-files.ts';
import { redirectReason } from '../upstream/reason.ts';

/** The issuer's public keys are not known and cannot be loaded now. */
export class KeysUnavailableError extends Error {}

const LOAD_MS = 2_500;
/**
 * Pause between attempts to load the keys, so that a flood of tokens does not become a flood of
 * requests.
 */
const PAUSE_MS = 5_000;
/** How long a key that the issuer removed is still accepted. */
const REFRESH_AFTER_MS = 10 * 60_000;
/** Pause between attempts to refresh the keys, each of which makes requests wait. */
const REFRESH_PAUSE_MS = 60_000;
/** How long the keys are used while the issuer cannot be reached. */
const MAX_AGE_MS = 24 * 3_600_000;

/**
 * Creates the function that finds the key of a token. It loads the issuer's keys when they are
 * first needed, when they are old, and when a token names an unknown key.
 *
 * @param url of the key set, in the format of RFC 7517
 * @param report called when the keys cannot be loaded
 */
export function createIssuerKeys(
  url: string,
  report: (message: string) => void,
  now: () => number = () => performance.now(),
): JWTVerifyGetKey {
  const never = Number.POSITIVE_INFINITY;
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: LOAD_MS,
    headers: { 'user-agent': USER_AGENT },
    // This file decides when they are loaded.
    cacheMaxAge: never,
    cooldownDuration: never,
    [customFetch]: async (address, init) => {
      const response = await fetch(address, init);
      if (response.status !== 200) throw new Error(describeStatus(response, address));
      return response;
    },
  });
  let loadedAt = -never;
  let triedAt = -never;
  let loading: Promise<void> | undefined;

  /** Loads the keys, unless the last attempt is within the pause. Never rejects. */
  async function load(pauseMs = PAUSE_MS): Promise<void> {
    if (loading === undefined && now() - triedAt < pauseMs) return;
    triedAt = now();
    loading ??= keys
      .reload()
      .then(
        () => {
          loadedAt = now();
        },
        (error) =>
          report(`JWT_JWKS_URL: the keys that verify tokens cannot be loaded: ${causeOf(error)}`),
      )
      .finally(() => {
        loading = undefined;
      });
    await loading;
  }

  return async (header, token) => {
    const age = now() - loadedAt;
    if (age > MAX_AGE_MS) await load();
    else if (age > REFRESH_AFTER_MS) await load(REFRESH_PAUSE_MS);
    if (now() - loadedAt > MAX_AGE_MS) throw new KeysUnavailableError();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await load();
      if (loadedAt < triedAt) throw new KeysUnavailableError();
      return keys(header, token);
    }
  };
}

/** Redirects are not followed: the setting must be the final address. */
function describeStatus({ status, headers }: Response, url: string): string {
  const location = headers.get('location');
  return `status ${status}${location === null ? '' : `, ${redirectReason(location, url).cause}`}`;
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
};

/** Describes why the keys cannot be loaded. Contains nothing of the response. */
function causeOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  if (cause.name === 'TimeoutError') return `no complete response within ${LOAD_MS} ms`;
  if (!('code' in cause)) return message;
  return `${NETWORK[String(cause.code)] ?? 'the connection failed'} (${cause.code})`;
}
