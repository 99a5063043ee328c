import { ForbiddenError, RestError, unauthenticated } from '../rest/rest-error.ts';
import type { Credential } from './credential.ts';

/** Which apps may read and write user records: those listed, every authenticated one, or none. */
export type UsersAccessRule = '*' | readonly string[];

/** Decides who may use user records. */
export interface UsersAccess {
  /** Resolves for an app that may; `askApp` tells which app it is, and is not asked each time. */
  require(credential: Credential | undefined, askApp: () => Promise<string>): Promise<void>;
}

const CLOSED = 'User records are closed. Set USERS_ACCESS to the app ids that may use them.';
const REFUSED_TTL_MS = 5_000;
const MAX_ENTRIES = 10_000;

interface Entry {
  readonly until: number;
  /** Which app it is; `undefined` for a key that the service refused. */
  readonly appId: string | undefined;
}

/**
 * The user-records service lets everybody in and anybody can make an app, so a valid
 * key alone opens nothing. The app behind a key is remembered for a while by the
 * key's digest, a refusal briefly, a fault never: closed, not open.
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
      remember(digest, { appId: undefined, until: now() + REFUSED_TTL_MS });
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
      if (rule.length === 0) throw new ForbiddenError('users', CLOSED);
      const appId = credential && (await appOf(credential, askApp));
      if (appId === undefined) throw unauthenticated('payments', 'GET');
      if (rule !== '*' && !rule.includes(appId)) {
        throw new ForbiddenError(
          'users',
          `App ${appId} may not use user records; USERS_ACCESS does not list it.`,
        );
      }
    },
  };
}
