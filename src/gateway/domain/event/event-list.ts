import type { FeedEvent } from '../../events/feed.ts';
import { readPosition, toPositionCursor } from '../../events/position.ts';
import { badInput } from '../../schema/bad-input.ts';
import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs } from '../../schema/connection.ts';
import { readSize } from '../../schema/paging.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { EventKind, EventRef } from './event.ts';

const EventConnection = connectionType('Event', EventRef);

/** The cursor behind an event. */
const cursorOf = ({ merchant, seq, seen }: FeedEvent) =>
  toPositionCursor({ time: seen, numbers: new Map([[merchant, seq]]) });

builder.objectField(MerchantRef, 'events', (t) =>
  t.field({
    type: EventConnection,
    ...semanticNonNull,
    description:
      'What happened at the merchant, oldest first. To keep up, repeat `after: <endCursor>` from time to time, or pass the cursor to `Subscription.events`. To begin with what happens next, take the `endCursor` of `last: 1`. The operator sets how long events are kept with `EVENT_RETENTION_DAYS`: if some after your cursor are not kept any more, the error has the code `EVENTS_EXPIRED`. Requires a replica.',
    args: {
      ...pagingArgs(t.arg, { inMemory: true }),
      kinds: t.arg({
        type: [EventKind],
        description: 'Only these kinds. Default: all.',
      }),
    },
    resolve: async ({ id }, { kinds, ...args }, { events }) => {
      const after = readPlace(args.after, 'after', id);
      const before = readPlace(args.before, 'before', id);
      const { size, backward } = readSize(args, args.before ?? undefined, true);
      // Before the events are read, so that none is between them and this place.
      const place = await events.begin([id], readPosition(args.after, 'after'));
      const found = await events.read({
        ...{ merchant: id, after, before, kinds, backward, limit: size + 1 },
      });
      const hasMore = found.length > size;
      const page = found.slice(0, size);
      if (backward) page.reverse();
      const edges = page.map((node) => ({ node, cursor: cursorOf(node) }));
      return {
        edges,
        pageInfo: {
          startCursor: edges.at(0)?.cursor ?? null,
          endCursor: edges.at(-1)?.cursor ?? (args.before ? null : toPositionCursor(place)),
          hasNextPage: backward ? before !== undefined : hasMore,
          hasPreviousPage: backward ? hasMore : after !== undefined,
        },
      };
    },
  }),
);

/** The number of the event at a cursor. */
function readPlace(cursor: string | null | undefined, argument: string, merchant: string) {
  const position = readPosition(cursor, argument);
  const place = position?.numbers.get(merchant);
  if (position === undefined || place !== undefined) return place;
  throw badInput(`\`${argument}\` is a cursor of other merchants.`, argument);
}
