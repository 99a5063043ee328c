import { badInput } from '../../schema/bad-input.ts';
import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs } from '../../schema/connection.ts';
import type { Context } from '../../schema/context.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { LazyPageInfo, type PagingArguments, readWindow, toCursor } from '../../schema/paging.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import type { Delivery, DeliveryKey, Endpoint } from '../../webhooks/webhook-store.ts';
import { EventKind, EventRef } from '../event/event.ts';
import { MerchantRef } from '../merchant/merchant.ts';

/** The merchant and the id in an id; of a delivery, its number, too. */
const ENDPOINT_ID = /^(.+)-([0-9a-f]{32})$/;
const DELIVERY_ID = /^(.+)-([0-9a-f]{32})-(\d{1,15})$/;
const idPattern = /^[A-Za-z0-9_-]{1,180}$/;

/** An endpoint, as the graph knows it. */
type KnownEndpoint = Omit<Endpoint, 'id'> & { readonly id: string; readonly rawId: string };

/** A delivery, as the graph knows it. */
type KnownDelivery = Delivery & { readonly id: string };

/** The endpoint, with an id that names its merchant. */
export function toEndpoint(endpoint: Endpoint): KnownEndpoint {
  return { ...endpoint, id: `${endpoint.merchant}-${endpoint.id}`, rawId: endpoint.id };
}

/** The delivery, with an id that names its merchant and its endpoint. */
export function toDelivery(delivery: Delivery): KnownDelivery {
  const { merchant, endpoint, number } = delivery;
  return { ...delivery, id: `${merchant}-${endpoint}-${number}` };
}

/** Reads the id of an endpoint. */
export function readEndpointId(id: string, argument: string) {
  const [, merchant, endpoint] = ENDPOINT_ID.exec(id) ?? [];
  if (merchant !== undefined && endpoint !== undefined) return { merchant, id: endpoint };
  throw badInput(`\`${argument}\` is not the id of an endpoint.`, argument);
}

/** Reads the id of a delivery. */
export function readDeliveryId(id: string, argument: string): DeliveryKey {
  const [, merchant, endpoint, number] = DELIVERY_ID.exec(id) ?? [];
  if (merchant !== undefined && endpoint !== undefined) {
    return { merchant, endpoint, number: Number(number) };
  }
  throw badInput(`\`${argument}\` is not the id of a delivery.`, argument);
}

const EndpointState = builder.enumType('WebhookEndpointState', {
  description: 'Whether events are sent to an endpoint.',
  values: {
    ENABLED: { description: 'Events are sent.' },
    DISABLED: { description: 'Nothing is sent; `disabledReason` says why.' },
  },
});

const DeliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'The state of a delivery.',
  values: {
    PENDING: { description: 'It is attempted at `nextAttemptAt`.' },
    SUCCEEDED: { description: 'The receiver responded with a status from 200 to 299.' },
    FAILED: { description: 'Every attempt failed. You can send it again.' },
  },
});

const AttemptRef = builder
  .objectRef<{ at: Date; status: number | null; error: string | null; durationMs: number }>(
    'WebhookAttempt',
  )
  .implement({
    description: 'An attempt to deliver a webhook.',
    fields: (t) => ({
      at: t.expose('at', { type: 'DateTime', description: 'When it ended.' }),
      status: t.exposeInt('status', {
        nullable: true,
        description: 'Status of the response. Null if there was none.',
      }),
      error: t.exposeString('error', {
        nullable: true,
        description: 'Why it failed. Null if it succeeded.',
      }),
      durationMs: t.exposeInt('durationMs', { description: 'How long it took, in milliseconds.' }),
    }),
  });

export const WebhookDeliveryRef = builder.objectRef<KnownDelivery>('WebhookDelivery').implement({
  description: 'An event that is sent to an endpoint.',
  interfaces: [NodeRef],
  fields: (t) => ({
    event: t.field({
      type: EventRef,
      nullable: true,
      description: 'The event. Null for a test, or if it is not kept any more.',
      resolve: async ({ merchant, seq }, _args, { events }) => {
        if (seq === null) return null;
        const [event] = await events.read({ merchant, after: seq - 1, before: seq + 1, limit: 1 });
        return event ?? null;
      },
    }),
    state: t.expose('state', { type: DeliveryState, description: 'The state of the delivery.' }),
    nextAttemptAt: t.expose('next', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is attempted next. Null if it is not.',
    }),
    createdAt: t.expose('created', { type: 'DateTime', description: 'When it was created.' }),
    attempts: t.field({
      type: [AttemptRef],
      ...semanticNonNull,
      description: 'What was attempted, oldest first.',
      resolve: (delivery, _args, { webhooks }) => webhooks.store.attempts(delivery),
    }),
  }),
});

const DeliveryConnection = connectionType('WebhookDelivery', WebhookDeliveryRef);

export const WebhookEndpointRef = builder.objectRef<KnownEndpoint>('WebhookEndpoint').implement({
  description:
    'Where events of a merchant are sent: as POST requests, signed as https://www.standardwebhooks.com says.',
  interfaces: [NodeRef],
  fields: (t) => ({
    url: t.exposeString('url', { description: 'The address.' }),
    kinds: t.field({
      type: [EventKind],
      nullable: true,
      description: 'The kinds of events that are sent. Null for all.',
      resolve: ({ kinds }) => kinds as (typeof EventKind.$inferType)[] | null,
    }),
    state: t.field({
      type: EndpointState,
      description: 'Whether events are sent.',
      resolve: ({ disabled }) => (disabled === null ? 'ENABLED' : 'DISABLED'),
    }),
    disabledReason: t.exposeString('disabled', {
      nullable: true,
      description: 'Why nothing is sent. Null if the endpoint is enabled.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'Since when every attempt has failed. After five days, the endpoint is disabled. Null if the last one succeeded.',
    }),
    createdAt: t.expose('created', { type: 'DateTime', description: 'When it was created.' }),
    deliveries: t.field({
      type: DeliveryConnection,
      ...semanticNonNull,
      description: 'What was sent to the endpoint, and what will be, newest first.',
      args: {
        ...pagingArgs(t.arg),
        states: t.arg({ type: [DeliveryState], description: 'Only these states. Default: all.' }),
      },
      resolve: ({ merchant, rawId }, { states, ...args }, { webhooks }) =>
        listDeliveries(merchant, rawId, states ?? null, args, webhooks),
    }),
  }),
});

const KIND = 'whd';

async function listDeliveries(
  merchant: string,
  endpoint: string,
  states: readonly string[] | null,
  args: PagingArguments,
  { store }: Context['webhooks'],
) {
  const { size, backward, ...ends } = readWindow(args, KIND);
  const [start, end] = [ends.start, ends.end].map(readNumber);
  const query = { merchant, endpoint, states, start, end, backward, limit: size + 1 };
  const found = await store.deliveries(query);
  const page = found.slice(0, size);
  if (backward) page.reverse();
  const hasMore = found.length > size;
  const hasStart = start !== undefined;
  const edges = page.map((delivery) => ({
    node: toDelivery(delivery),
    cursor: toCursor(KIND, String(delivery.number)),
  }));
  return {
    edges,
    pageInfo: new LazyPageInfo(edges, backward ? hasStart : hasMore, backward ? hasMore : hasStart),
  };
}

/** Reads the number from a cursor. */
function readNumber(text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,15}$/.test(text))
    return text === undefined ? text : Number(text);
  throw badInput('A cursor is not of this list.', 'after');
}

builder.objectField(MerchantRef, 'webhookEndpoints', (t) =>
  t.field({
    type: [WebhookEndpointRef],
    ...semanticNonNull,
    description: 'Where events of the merchant are sent, oldest first.',
    resolve: async ({ id }, _args, { webhooks }) =>
      (await webhooks.store.endpoints(id)).map(toEndpoint),
  }),
);

implementNode(
  WebhookEndpointRef,
  'whe',
  async (id, { merchants, webhooks }) => {
    const key = readEndpointId(id, 'id');
    if ((await merchants.load(key.merchant)) === null) return null;
    const found = await webhooks.store.endpoint(key.merchant, key.id);
    return found ? toEndpoint(found) : null;
  },
  { isOwn: true, idPattern },
);

implementNode(
  WebhookDeliveryRef,
  KIND,
  async (id, { merchants, webhooks }) => {
    const key = readDeliveryId(id, 'id');
    if ((await merchants.load(key.merchant)) === null) return null;
    const found = await webhooks.store.delivery(key);
    return found ? toDelivery(found) : null;
  },
  { isOwn: true, idPattern },
);
