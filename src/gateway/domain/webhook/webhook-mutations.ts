import { builder } from '../../schema/builder.ts';
import type { Context } from '../../schema/context.ts';
import { resultType } from '../../schema/mutation-error.ts';
import { readId, toNodeId } from '../../schema/node-id.ts';
import { type RequestFailure, requestFailure } from '../../schema/request-failure.ts';
import { toResult } from '../../schema/to-result.ts';
import { createSecret } from '../../webhooks/webhooks.ts';
import { EventKind } from '../event/event.ts';
import {
  readDeliveryId,
  readEndpointId,
  toDelivery,
  toEndpoint,
  WebhookDeliveryRef,
  WebhookEndpointRef,
} from './webhook-endpoint.ts';

type Endpoint = typeof WebhookEndpointRef.$inferType;
type Delivery = typeof WebhookDeliveryRef.$inferType;

/** Endpoints of one merchant. */
const MAX_ENDPOINTS = 20;
const MAX_KEEP_S = 7 * 86_400;
const DEFAULT_KEEP_S = 86_400;

const SECRET =
  'The secret that messages are signed with. It is shown only here: store it where the receiver can read it.';

/** A success type with an endpoint, and with its secret if it is new. */
function endpointSuccess(name: string, description: string, hasSecret: boolean) {
  const ref = builder.objectRef<{ __typename: string; endpoint: Endpoint; secret?: string }>(name);
  ref.implement({
    description,
    fields: (t) => ({
      endpoint: t.expose('endpoint', { type: WebhookEndpointRef, description: 'The endpoint.' }),
      ...(hasSecret && {
        secret: t.string({ description: SECRET, resolve: ({ secret }) => secret ?? '' }),
      }),
    }),
  });
  return ref;
}

function deliverySuccess(name: string, description: string) {
  return builder.objectRef<{ __typename: string; delivery: Delivery }>(name).implement({
    description,
    fields: (t) => ({
      delivery: t.expose('delivery', { type: WebhookDeliveryRef, description: 'The delivery.' }),
    }),
  });
}

const DeleteSuccess = builder
  .objectRef<{ __typename: string; deletedId: string }>('DeleteWebhookEndpointSuccess')
  .implement({
    description: 'The endpoint does not exist any more, nor do its deliveries.',
    fields: (t) => ({
      deletedEndpointId: t.exposeID('deletedId', {
        description: 'Node id of the former endpoint. Use it to remove the endpoint from a cache.',
      }),
    }),
  });

const url = 'Where to send events: an https URL of a public host.';
const kinds = 'The kinds of events to send. Default: all, also those that are added later.';
const endpointId = { required: true, description: 'The endpoint: a node id.' } as const;

const CreateInput = builder.inputType('CreateWebhookEndpointInput', {
  description: 'A new endpoint.',
  fields: (t) => ({
    merchantId: t.id({ required: true, description: 'The merchant: a node id or a `rawId`.' }),
    url: t.string({ required: true, description: url }),
    kinds: t.field({ type: [EventKind], description: kinds }),
  }),
});

const UpdateInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'What to change of an endpoint. What is left out stays as it is.',
  fields: (t) => ({
    id: t.id(endpointId),
    url: t.string({ description: url }),
    kinds: t.field({
      type: [EventKind],
      description: 'The kinds of events to send. Null for all.',
    }),
    enabled: t.boolean({
      description:
        'Whether to send events. An endpoint that is enabled again is sent what happens next, and what was pending.',
    }),
  }),
});

const RotateInput = builder.inputType('RotateWebhookSecretInput', {
  description: 'The endpoint, and how long its old secret stays valid.',
  fields: (t) => ({
    id: t.id(endpointId),
    keepOldSeconds: t.int({
      defaultValue: DEFAULT_KEEP_S,
      description: `How long messages are also signed with the old secret, 0 to ${MAX_KEEP_S} seconds.`,
    }),
  }),
});

const DeleteInput = builder.inputType('DeleteWebhookEndpointInput', {
  description: 'The endpoint to delete.',
  fields: (t) => ({ id: t.id(endpointId) }),
});

const TestInput = builder.inputType('SendTestWebhookInput', {
  description: 'The endpoint to test.',
  fields: (t) => ({ id: t.id(endpointId) }),
});

const ResendInput = builder.inputType('ResendWebhookDeliveryInput', {
  description: 'The delivery to send again.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The delivery: a node id.' }) }),
});

const NOT_FOUND = requestFailure('NOT_FOUND', 'The record does not exist.');

/**
 * Writes for a merchant: whoever may change it may say where its events are sent. If the work is
 * undefined, there is no such record.
 */
function write<T>(
  merchant: string,
  context: Context,
  work: () => Promise<T | RequestFailure | undefined>,
): Promise<T | RequestFailure> {
  const admitted = async () => {
    const { merchants } = context;
    await merchants.admitChange(merchant);
    const exists = (await merchants.load(merchant)) !== null;
    return (exists ? await work() : undefined) ?? NOT_FOUND;
  };
  return toResult(admitted());
}

const unique = <T>(list: readonly T[] | null | undefined) => list && [...new Set(list)];

/** Refuses what cannot be a URL or kinds of an endpoint. */
function refuse(
  input: {
    readonly url?: string | null | undefined;
    readonly kinds?: readonly string[] | null | undefined;
  },
  { webhooks }: Context,
): RequestFailure | undefined {
  const reason = input.url == null ? undefined : webhooks.refuseUrl(input.url);
  if (reason !== undefined) return requestFailure('INVALID_INPUT', reason, ['input', 'url']);
  if (input.kinds?.length !== 0) return undefined;
  const message = '`kinds` must not be empty. Leave it out for all kinds.';
  return requestFailure('INVALID_INPUT', message, ['input', 'kinds']);
}

builder.mutationField('createWebhookEndpoint', (t) =>
  t.field({
    type: resultType(
      'CreateWebhookEndpoint',
      endpointSuccess('CreateWebhookEndpointSuccess', 'The endpoint was created.', true),
    ),
    nullable: true,
    description: `Sends events of a merchant to a URL from now on. A merchant has up to ${MAX_ENDPOINTS} endpoints.`,
    args: {
      input: t.arg({ type: CreateInput, required: true, description: 'The endpoint.' }),
    },
    resolve: (_root, { input }, context) => {
      const merchant = readId('mer', input.merchantId, 'input.merchantId');
      return write(merchant, context, async () => {
        const refused = refuse(input, context);
        if (refused !== undefined) return refused;
        const secret = createSecret();
        // Rejects if nothing would be sent.
        await context.events.begin([merchant], undefined);
        const wanted = { merchant, url: input.url, kinds: unique(input.kinds) ?? null };
        const added = await context.webhooks.store.addEndpoint(wanted, secret, MAX_ENDPOINTS);
        if (added === undefined) return TOO_MANY;
        return {
          __typename: 'CreateWebhookEndpointSuccess',
          endpoint: toEndpoint(added),
          secret,
        };
      });
    },
  }),
);

const TOO_MANY = requestFailure(
  'INVALID_INPUT',
  `The merchant has ${MAX_ENDPOINTS} endpoints. Delete one first.`,
  ['input', 'merchantId'],
);

builder.mutationField('updateWebhookEndpoint', (t) =>
  t.field({
    type: resultType(
      'UpdateWebhookEndpoint',
      endpointSuccess('UpdateWebhookEndpointSuccess', 'The endpoint was changed.', false),
    ),
    nullable: true,
    description: 'Changes where events are sent, or which, or whether any are.',
    args: {
      input: t.arg({ type: UpdateInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { input }, context) => {
      const key = readEndpointId(readId('whe', input.id, 'input.id'), 'input.id');
      return write(key.merchant, context, async () => {
        const refused = refuse(input, context);
        if (refused !== undefined) return refused;
        const changed = await context.webhooks.store.changeEndpoint(key, {
          ...(input.url != null && { url: input.url }),
          ...(input.kinds !== undefined && { kinds: unique(input.kinds) ?? null }),
          ...(input.enabled != null && { enabled: input.enabled }),
        });
        return (
          changed && {
            __typename: 'UpdateWebhookEndpointSuccess',
            endpoint: toEndpoint(changed),
          }
        );
      });
    },
  }),
);

builder.mutationField('rotateWebhookSecret', (t) =>
  t.field({
    type: resultType(
      'RotateWebhookSecret',
      endpointSuccess('RotateWebhookSecretSuccess', 'The endpoint has a new secret.', true),
    ),
    nullable: true,
    description:
      'Makes a new secret. For a while, messages are signed with both, so that the receiver can change to the new one.',
    args: {
      input: t.arg({ type: RotateInput, required: true, description: 'The endpoint.' }),
    },
    resolve: (_root, { input }, context) => {
      const { merchant, id } = readEndpointId(readId('whe', input.id, 'input.id'), 'input.id');
      const keep = input.keepOldSeconds ?? DEFAULT_KEEP_S;
      return write(merchant, context, async () => {
        if (keep < 0 || keep > MAX_KEEP_S) {
          const message = `\`keepOldSeconds\` must be between 0 and ${MAX_KEEP_S}.`;
          return requestFailure('INVALID_INPUT', message, ['input', 'keepOldSeconds']);
        }
        const secret = createSecret();
        const rotated = await context.webhooks.store.rotateSecret(merchant, id, secret, keep);
        return (
          rotated && {
            __typename: 'RotateWebhookSecretSuccess',
            endpoint: toEndpoint(rotated),
            secret,
          }
        );
      });
    },
  }),
);

builder.mutationField('deleteWebhookEndpoint', (t) =>
  t.field({
    type: resultType('DeleteWebhookEndpoint', DeleteSuccess),
    nullable: true,
    description: 'Sends nothing to an endpoint any more, and deletes it with its deliveries.',
    args: {
      input: t.arg({ type: DeleteInput, required: true, description: 'The endpoint.' }),
    },
    resolve: (_root, { input }, context) => {
      const { merchant, id } = readEndpointId(readId('whe', input.id, 'input.id'), 'input.id');
      return write(merchant, context, async () => {
        const isDeleted = await context.webhooks.store.deleteEndpoint(merchant, id);
        const deletedId = toNodeId('whe', `${merchant}-${id}`);
        return isDeleted ? { __typename: 'DeleteWebhookEndpointSuccess', deletedId } : undefined;
      });
    },
  }),
);

const TOO_MANY_TESTS = requestFailure(
  'INVALID_INPUT',
  'The endpoint has tests that could not be sent yet. Wait for them, or delete the endpoint.',
  ['input', 'id'],
);

builder.mutationField('sendTestWebhook', (t) =>
  t.field({
    type: resultType(
      'SendTestWebhook',
      deliverySuccess('SendTestWebhookSuccess', 'The test is sent in a moment.'),
    ),
    nullable: true,
    description: 'Sends a message of the type `test` to an endpoint, signed like any other.',
    args: {
      input: t.arg({ type: TestInput, required: true, description: 'The endpoint.' }),
    },
    resolve: (_root, { input }, context) => {
      const { merchant, id } = readEndpointId(readId('whe', input.id, 'input.id'), 'input.id');
      return write(merchant, context, async () => {
        const { store } = context.webhooks;
        const added = await store.addTest(merchant, id);
        if (added !== undefined) {
          return { __typename: 'SendTestWebhookSuccess', delivery: toDelivery(added) };
        }
        return (await store.endpoint(merchant, id)) && TOO_MANY_TESTS;
      });
    },
  }),
);

builder.mutationField('resendWebhookDelivery', (t) =>
  t.field({
    type: resultType(
      'ResendWebhookDelivery',
      deliverySuccess('ResendWebhookDeliverySuccess', 'The delivery is sent again in a moment.'),
    ),
    nullable: true,
    description: 'Sends a delivery again, with the same `webhook-id`, whatever came of it before.',
    args: {
      input: t.arg({ type: ResendInput, required: true, description: 'The delivery.' }),
    },
    resolve: (_root, { input }, context) => {
      const key = readDeliveryId(readId('whd', input.id, 'input.id'), 'input.id');
      return write(key.merchant, context, async () => {
        const again = await context.webhooks.store.sendAgain(key);
        return again && { __typename: 'ResendWebhookDeliverySuccess', delivery: toDelivery(again) };
      });
    },
  }),
);
