import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { USER_AGENT } from '../../package-files.ts';
import { redirectReason } from '../upstream/reason.ts';

/** The public keys of the issuer are not known, and cannot be loaded now. */
export class KeysUnavailableError extends Error {}

const LOAD_MS = 2_500;
/** Between two attempts to load the keys, so that no flood of tokens becomes one of requests. */
const PAUSE_MS = 5_000;
/** A key that the issuer has removed is accepted for this time. */
const REFRESH_AFTER_MS = 10 * 60_000;
/** Between two attempts to refresh them, each of which makes requests wait. */
const REFRESH_PAUSE_MS = 60_000;
/** As long as the issuer cannot be reached, its keys are used for this time. */
const MAX_AGE_MS = 24 * 3_600_000;

/**
 * Creates the function that finds the key of a token. It loads the issuer's keys when they are
 * first needed, when they are old, and when a token names a key that is not among them.
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
    // When they are loaded is decided here.
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

  /** Loads the keys, unless that was tried within the pause. Never rejects. */
  async function load(pauseMs = PAUSE_MS): Promise<void> {
    if (loading === undefined && now() - triedAt < pauseMs) return;
    triedAt = now();
    loading ??= keys
      .reload()
      .then(
        () => {
          loadedAt = now();
        },
        (error) => report(`JWT_JWKS_URL: the keys of tokens cannot be loaded: ${causeOf(error)}`),
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

/** A redirect is not followed: the setting is the address of the keys. */
function describeStatus({ status, headers }: Response, url: string): string {
  const location = headers.get('location');
  return `status ${status}${location === null ? '' : `, ${redirectReason(location, url).cause}`}`;
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
};

/** Why the keys cannot be loaded, in words. It contains nothing of the response. */
function causeOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  if (cause.name === 'TimeoutError') return `no complete response within ${LOAD_MS} ms`;
  if (!('code' in cause)) return message;
  return `${NETWORK[String(cause.code)] ?? 'the connection has failed'} (${cause.code})`;
}
