import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { GraphQLError } from 'graphql';
import { isPublic } from './address-guard.ts';
import type { WebhookStore } from './webhook-store.ts';

declare module '../schema/context.ts' {
  interface Context {
    /** Where merchants' events are sent. */
    readonly webhooks: Webhooks;
  }
}

/** Endpoints and their deliveries, for clients. */
export interface Webhooks {
  /** Throws an error for the client without a database, or while it does not respond. */
  readonly store: WebhookStore;
  /** Why a URL cannot be that of an endpoint; undefined if it can. */
  refuseUrl(url: string): string | undefined;
}

/** Without a replica, there is nothing to send. */
export const noWebhooks: Webhooks = {
  get store(): never {
    throw new GraphQLError('Webhooks require a replica: the gateway has none.', {
      extensions: { code: 'NO_REPLICA' },
    });
  },
  refuseUrl: () => undefined,
};

/** Opens the endpoints for clients. */
export function openWebhooks(store: WebhookStore, mayBePrivate: boolean): Webhooks {
  return {
    store: withClientErrors(store),
    refuseUrl: (url) => refuseUrl(url, mayBePrivate),
  };
}

/** Makes every failure of the database an error for the client. */
function withClientErrors(store: WebhookStore): WebhookStore {
  const wrap =
    (call: (...args: never[]) => Promise<unknown>) =>
    (...args: never[]) =>
      call(...args).catch(() => {
        throw new GraphQLError('The webhooks cannot be read or changed. Try again later.', {
          extensions: { code: 'EVENTS_UNAVAILABLE' },
        });
      });
  const wrapped = Object.entries(store).map(([name, call]) => [name, wrap(call)]);
  // It has the same functions.
  return Object.fromEntries(wrapped) as WebhookStore;
}

const MAX_URL = 2_000;
/** Spaces, control characters and halves of surrogate pairs. */
const UNPRINTABLE = /[\s\p{Cc}\p{Cs}]/u;

function refuseUrl(text: string, mayBePrivate: boolean): string | undefined {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_URL || UNPRINTABLE.test(text)) {
    return `The URL must be absolute, have at most ${MAX_URL} characters, and no spaces.`;
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return 'The URL must not contain a user name, a password or a fragment.';
  }
  if (url.protocol !== 'https:' && !(mayBePrivate && url.protocol === 'http:')) {
    return `The URL must begin with \`https:\`${mayBePrivate ? ' or `http:`' : ''}.`;
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isInside = host === 'localhost' || (isIP(host) !== 0 && !isPublic(host));
  return isInside && !mayBePrivate ? 'The host of the URL must be public.' : undefined;
}

/** Makes a secret, in the form of Standard Webhooks. */
export function createSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}
