import { createClient } from 'graphql-sse';
import { useEffect, useState } from 'react';
import { openSession } from './gateway.ts';
import type { EventsSubscription, EventsSubscriptionVariables } from './gql/graphql.ts';
import { graphql } from './gql/index.ts';

const Events = graphql(`
  subscription Events($merchantIds: [ID!], $after: String) {
    events(merchantIds: $merchantIds, after: $after) {
      cursor
      event { id kind amount { ...Amount } transaction { id } }
    }
  }
`);

/** Something that happened at a merchant. */
export type Happened = NonNullable<EventsSubscription['events']['event']>;

const PAUSE_MS = 2_000;
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
/** Errors after which it makes no sense to subscribe again. */
const FINAL = ['NO_REPLICA', 'FORBIDDEN', 'BAD_USER_INPUT'];

const SILENCE_MS = 30_000;

/** Fetches until nothing arrives for too long. The gateway sends a comment every 12 seconds. */
async function fetchFn(url: string, init: RequestInit) {
  const silence = new AbortController();
  const end = () => silence.abort(new Error('Nothing arrives any more.'));
  let timer = setTimeout(end, SILENCE_MS);
  silence.signal.onabort = () => clearTimeout(timer);
  init.signal?.addEventListener('abort', end);
  const response = await fetch(url, { ...init, signal: silence.signal });
  const transform: Transformer['transform'] = (chunk, body) => {
    clearTimeout(timer);
    timer = setTimeout(end, SILENCE_MS);
    body.enqueue(chunk);
  };
  return new Response(response.body?.pipeThrough(new TransformStream({ transform })), response);
}

/** What happens at a merchant. If the connection breaks, it goes on where it was. */
async function* follow(merchantId: string, signal: AbortSignal): AsyncGenerator<Happened> {
  const headers = async () => ({
    authorization: `Bearer ${(await openSession())?.access_token}`,
  });
  for (let after: string | null = null; !signal.aborted; await pause()) {
    const client = createClient({ url: '/graphql', headers, retryAttempts: 0, fetchFn });
    signal.addEventListener('abort', client.dispose, { once: true });
    const variables: EventsSubscriptionVariables = { merchantIds: [merchantId], after };
    try {
      const messages = client.iterate<EventsSubscription>({ query: String(Events), variables });
      for await (const { data, errors } of messages) {
        const { code, cursor } = errors?.[0]?.extensions ?? {};
        if (FINAL.includes(String(code))) return;
        // Events that are not kept any more cannot be caught up with.
        after = code === 'EVENTS_EXPIRED' ? null : (data?.events.cursor ?? String(cursor ?? after));
        if (data?.events.event) yield data.events.event;
      }
    } catch {
      // It is tried again.
    }
  }
}

const RECENT_MS = 6_000;

/** The latest event of a merchant, and all of the last seconds. */
export function useEvents(merchantId: string) {
  const [latest, setLatest] = useState<Happened>();
  const [recent, setRecent] = useState<readonly Happened[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    const show = async () => {
      for await (const event of follow(merchantId, leaving.signal)) {
        setLatest(event);
        setRecent((events) => [...events, event]);
        setTimeout(() => setRecent(([, ...later]) => later), RECENT_MS);
      }
    };
    void show();
    return () => leaving.abort();
  }, [merchantId]);
  return { latest, recent };
}
