import type { UsersAccessRule } from '../settings/settings.ts';
import { AccessDeniedError, RestError, unauthenticated } from '../upstream/rest-error.ts';
import type { Credential } from './credential.ts';

/** Decides which callers may use user records. */
export interface UsersAccess {
  /**
   * Rejects unless the caller may use user records. `askApp` gets the id of the app from the
   * payments service; the result is remembered.
   */
  require(credential: Credential | undefined, askApp: () => Promise<string>): Promise<void>;
}

const CLOSED =
  'No app has access to user records. To change that, set USERS_ACCESS to a list of app ids.';
const REJECTED_TTL_MS = 5_000;
const MAX_ENTRIES = 10_000;

interface Entry {
  readonly until: number;
  /** The id of the app; `undefined` if the service rejected the key. */
  readonly appId: string | undefined;
}

/**
 * The user-records service accepts every caller, and anyone can create an app, so a valid key alone
 * gives no access. The app of a key is remembered for `ttlMs` by the key's digest, and a rejected
 * key for a few seconds. After any other failure, nothing is remembered and the caller has no
 * access.
 */
export function createUsersAccess(
  rule: UsersAccessRule,
  ttlMs: number,
  now: () => number = Date.now,
): UsersAccess {
  const known = new Map<string, Entry>();

  async function appOf({ digest }: Credential, askApp: () => Promise<string>) {
    const entry = known.get(digest);
    if (entry !== undefined && now() < entry.until) return entry.appId;
    known.delete(digest);
    try {
      const appId = await askApp();
      remember(digest, { appId, until: now() + ttlMs });
      return appId;
    } catch (error) {
      if (!(error instanceof RestError) || error.status !== 401) throw error;
      remember(digest, { appId: undefined, until: now() + REJECTED_TTL_MS });
      return undefined;
    }
  }

  function remember(digest: string, entry: Entry): void {
    known.set(digest, entry);
    const [oldest] = known.keys();
    if (known.size > MAX_ENTRIES && oldest !== undefined) known.delete(oldest);
  }

  return {
    require: async (credential, askApp) => {
      if (rule.length === 0) throw new AccessDeniedError('FORBIDDEN', 'users', CLOSED);
      const appId = credential && (await appOf(credential, askApp));
      if (appId === undefined) throw unauthenticated('payments', 'GET');
      if (rule !== '*' && !rule.includes(appId)) {
        throw new AccessDeniedError(
          'FORBIDDEN',
          'users',
          `App ${appId} has no access to user records. USERS_ACCESS does not contain it.`,
        );
      }
    },
  };
}
