import { GraphQLError } from 'graphql';
import type { Events } from '../../events/events.ts';
import type { FeedEvent } from '../../events/feed.ts';
import type { Watch } from '../../events/hub.ts';
import {
  InterruptedError,
  type Position,
  readPosition,
  toPositionCursor,
} from '../../events/position.ts';
import { badInput } from '../../schema/bad-input.ts';
import { builder } from '../../schema/builder.ts';
import type { Context } from '../../schema/context.ts';
import { RestError } from '../../upstream/rest-error.ts';
import { accessibleMerchants, MAX_MERCHANTS } from '../merchant/accessible-merchants.ts';
import { EventKind, EventRef } from './event.ts';

/** What a subscription sends. */
interface Message {
  readonly position: Position;
  readonly event: FeedEvent | null;
}

/** The merchants of one subscription, each of which is in its cursors. */
const MAX_WATCHED = 100;
/** How often access is asked again. */
const ACCESS_MS = 60_000;

const EventMessageRef = builder.objectRef<Message>('EventMessage').implement({
  description: 'A message of `Subscription.events`.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Opaque. Pass it to `after` to continue behind this message.',
      resolve: ({ position }) => toPositionCursor(position),
    }),
    event: t.expose('event', {
      type: EventRef,
      nullable: true,
      description:
        'The event. Null in the first message, which only says where the subscription begins.',
    }),
  }),
});

builder.subscriptionType({
  description:
    'All subscriptions, over Server-Sent Events: send the document to `/graphql` with `accept: text/event-stream`.',
});

builder.subscriptionField('events', (t) =>
  t.field({
    type: EventMessageRef,
    description:
      'What happens at merchants, as soon as the gateway notices it; of each merchant in the order of `seq`. Requires a replica. If the subscription ends with an error, its `extensions.cursor` is where to continue. With the cursor of the last message in `after`, no event is lost and none is sent twice.',
    args: {
      merchantIds: t.arg.idList({
        description: `These merchants: up to ${MAX_MERCHANTS} node ids or \`rawId\`s. Default: all that the calling app has access to, if these are not more than ${MAX_WATCHED}.`,
      }),
      kinds: t.arg({ type: [EventKind], description: 'Only these kinds. Default: all.' }),
      after: t.arg.string({
        description:
          'Begin behind this cursor: of a message, or of `Merchant.events`. Of a merchant that it does not name, send what was noticed later. Default: begin with what happens next. If events after it are not kept any more, the error has the code `EVENTS_EXPIRED`.',
      }),
    },
    subscribe: async (_root, { merchantIds, kinds, after }, context) => {
      const position = readPosition(after, 'after');
      const merchants = await accessibleMerchants(merchantIds, context);
      if (merchants.length === 0) {
        throw badInput(
          'Name merchants in `merchantIds` that your app has access to.',
          'merchantIds',
        );
      }
      if (merchants.length > MAX_WATCHED) {
        throw badInput(
          `A subscription is of up to ${MAX_WATCHED} merchants; these would be ${merchants.length}. Name some in \`merchantIds\`.`,
          'merchantIds',
        );
      }
      const begin = await context.events.begin(merchants, position);
      return follow(begin, kinds == null ? undefined : new Set(kinds), context);
    },
    resolve: (message) => message,
  }),
);

const stopping = () =>
  ended(
    'SUBSCRIPTION_ENDED',
    'The gateway is stopping. Subscribe again with `extensions.cursor` in `after`.',
  );

/** Sends what happens after a position, until the client leaves. */
async function* follow(
  begin: Position,
  kinds: ReadonlySet<string> | undefined,
  context: Context,
): AsyncGenerator<Message> {
  const { events, owner } = context;
  const leave = events.enter(owner);
  const watch = events.watch([...begin.numbers.keys()], context.closed);
  let position = begin;
  let checked = performance.now();
  const checkWhenDue = async () => {
    if (performance.now() - checked < ACCESS_MS) return;
    checked = performance.now();
    await checkAccess(position, context);
  };
  try {
    yield { position, event: null };
    for (;;) {
      let hasWaited = false;
      for await (const event of readNew(events, position)) {
        const { merchant, seq, seen } = event;
        const time = new Date(Math.max(seen.getTime(), position.time.getTime()));
        const next = { time, numbers: new Map(position.numbers).set(merchant, seq) };
        if (kinds?.has(event.kind) !== false) {
          hasWaited = (await admit(watch, context)) || hasWaited;
          await checkWhenDue();
          yield { position: next, event };
        }
        position = next;
      }
      // What has happened meanwhile was noticed, but not read.
      if (hasWaited) continue;
      const rest = Math.max(0, checked + ACCESS_MS - performance.now());
      if (!(await watch.wait(rest))) throw stopping();
      await checkWhenDue();
    }
  } catch (error) {
    throw new InterruptedError(toPositionCursor(position), error);
  } finally {
    watch.close();
    leave();
  }
}

/** Waits until the caller may use what an event costs. Returns whether it had to. */
async function admit(watch: Watch, { takeEvent }: Context): Promise<boolean> {
  for (let hasWaited = false; ; hasWaited = true) {
    const waitMs = (await takeEvent?.()) ?? 0;
    if (waitMs === 0) return hasWaited;
    if (!(await watch.wait(waitMs))) throw stopping();
  }
}

/** The events after a position. */
async function* readNew(events: Events, { numbers }: Position): AsyncGenerator<FeedEvent> {
  for (const [merchant, start] of numbers) {
    for (let after = start; ; ) {
      const found = await events.readNext(merchant, after);
      yield* found;
      const last = found.at(-1);
      if (last === undefined) break;
      after = last.seq;
    }
  }
}

/** Throws if the caller has no access any more, or if the merchants have no feeds any more. */
async function checkAccess(position: Position, context: Context): Promise<void> {
  const { events, owner, expiresAt = Number.POSITIVE_INFINITY } = context;
  if (Date.now() > expiresAt) throw ended('UNAUTHENTICATED', 'The token has expired.');
  const ids = [...position.numbers.keys()];
  await events.begin(ids, position);
  const { merchants } = context.renew();
  const checks = ids.map((id) => events.shareCheck(`${owner} ${id}`, () => merchants.load(id)));
  const found = await Promise.allSettled(checks);
  for (const check of found) {
    // A service that does not respond has not refused anything.
    if (check.status === 'fulfilled' ? check.value !== null : isAway(check.reason)) continue;
    throw check.status === 'rejected' ? check.reason : gone();
  }
}

const gone = () => ended('FORBIDDEN', 'A merchant does not exist any more.');

const isAway = (error: unknown) =>
  error instanceof RestError && error.status !== 401 && error.status !== 403;

const ended = (code: string, message: string) =>
  new GraphQLError(message, { extensions: { code } });
