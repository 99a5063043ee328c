import { builder } from '../../schema/builder.ts';
import { resultType } from '../../schema/mutation-error.ts';
import { readId, toNodeId } from '../../schema/node-id.ts';
import { toResult } from '../../schema/to-result.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { AppRef } from './app.ts';
import type { NewApp } from './app-source.ts';

interface Changed<N extends string> {
  readonly __typename: N;
  readonly merchantId: string;
  readonly appId: string;
}

interface Created extends NewApp {
  readonly __typename: 'CreateAppSuccess';
}

const merchantDescription =
  'The merchant after the change. Null only if it could not be read afterwards; the change itself succeeded.';

const CreateAppSuccess = builder.objectRef<Created>('CreateAppSuccess').implement({
  description: 'The app was created. Use `addMerchantApp` to give it access to a merchant.',
  fields: (t) => ({
    app: t.field({ type: AppRef, description: 'The new app.', resolve: ({ app }) => app }),
    key: t.exposeString('key', {
      description:
        'The app key. Send it in the header `Authorization: Bearer <app key>`. Keep it secret, and store it: only this response contains it.',
    }),
  }),
});

const AddSuccess = builder
  .objectRef<Changed<'AddMerchantAppSuccess'>>('AddMerchantAppSuccess')
  .implement({
    description: 'The app has access to the merchant.',
    fields: (t) => ({
      merchant: t.field({
        type: MerchantRef,
        nullable: true,
        description: merchantDescription,
        resolve: ({ merchantId }, _args, { merchants }) => merchants.load(merchantId),
      }),
      app: t.field({
        type: AppRef,
        nullable: true,
        description:
          'The app. Null if it could not be read, or if the payments service does not list it yet; it has access in both cases.',
        resolve: ({ merchantId, appId }, _args, { apps }) => apps.find(merchantId, appId),
      }),
    }),
  });

const RevokeSuccess = builder
  .objectRef<Changed<'RevokeMerchantAppSuccess'>>('RevokeMerchantAppSuccess')
  .implement({
    description: 'The app no longer has access to the merchant.',
    fields: (t) => ({
      merchant: t.field({
        type: MerchantRef,
        nullable: true,
        description: `${merchantDescription} An app that revoked its own access can no longer read the merchant.`,
        resolve: ({ merchantId }, _args, { merchants }) => merchants.load(merchantId),
      }),
      revokedAppId: t.id({
        description: 'Node id of the app. Use it to remove the app from a cache.',
        resolve: ({ appId }) => toNodeId('app', appId),
      }),
    }),
  });

const CreateAppInput = builder.inputType('CreateAppInput', {
  description: 'A new app.',
  fields: (t) => ({
    name: t.string({ description: 'Name of the app, up to 200 characters. Optional.' }),
  }),
});

function merchantAppInput(name: string, description: string) {
  return builder.inputType(name, {
    description,
    fields: (t) => ({
      merchantId: t.id({
        required: true,
        description: 'The merchant: a node id or a `rawId`.',
      }),
      appId: t.id({
        required: true,
        description: 'The app: a node id or a `rawId`.',
      }),
    }),
  });
}

const AddInput = merchantAppInput('AddMerchantAppInput', 'The app to add, and the merchant.');
const RevokeInput = merchantAppInput(
  'RevokeMerchantAppInput',
  'The app to remove, and the merchant.',
);

builder.mutationField('createApp', (t) =>
  t.field({
    type: resultType('CreateApp', CreateAppSuccess),
    nullable: true,
    description:
      'Creates an app. You can call this mutation without an app key. Only its response contains the key of the new app.',
    args: {
      input: t.arg({ type: CreateAppInput, required: true, description: 'The new app.' }),
    },
    resolve: (_root, { input }, { apps }) =>
      toResult(
        apps
          .create(input.name ?? undefined)
          .then((created) => ({ __typename: 'CreateAppSuccess' as const, ...created })),
      ),
  }),
);

builder.mutationField('addMerchantApp', (t) =>
  t.field({
    type: resultType('AddMerchantApp', AddSuccess),
    nullable: true,
    description: 'Gives an app full access to a merchant.',
    args: {
      input: t.arg({
        type: AddInput,
        required: true,
        description: 'The app to add, and the merchant.',
      }),
    },
    resolve: (_root, { input }, { apps }) => {
      const merchantId = readId('mer', input.merchantId, 'input.merchantId');
      const appId = readId('app', input.appId, 'input.appId');
      const __typename = 'AddMerchantAppSuccess' as const;
      return toResult(apps.add(merchantId, appId).then(() => ({ __typename, merchantId, appId })));
    },
  }),
);

builder.mutationField('revokeMerchantApp', (t) =>
  t.field({
    type: resultType('RevokeMerchantApp', RevokeSuccess),
    nullable: true,
    description:
      "Ends an app's access to a merchant immediately. An app can revoke its own access.",
    args: {
      input: t.arg({
        type: RevokeInput,
        required: true,
        description: 'The app to remove, and the merchant.',
      }),
    },
    resolve: (_root, { input }, { apps, merchants }) => {
      const merchantId = readId('mer', input.merchantId, 'input.merchantId');
      const appId = readId('app', input.appId, 'input.appId');
      const __typename = 'RevokeMerchantAppSuccess' as const;
      return toResult(
        apps.revoke(merchantId, appId).then(() => ({ __typename, merchantId, appId })),
      ).finally(() => merchants.forget(merchantId));
    },
  }),
);
