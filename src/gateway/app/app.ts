import { builder } from '../graphql/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../graphql/connection.ts';
import { semanticNonNull } from '../graphql/semantic-non-null.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { AppRef } from '../viewer/viewer.ts';

const AppConnection = connectionType('App', AppRef);

builder.objectField(MerchantRef, 'apps', (t) =>
  t.field({
    type: AppConnection,
    ...semanticNonNull,
    description: 'Apps with access to the merchant, newest first. Their keys are never shown.',
    args: pagingArgs(t.arg),
    resolve: (merchant, args, { apps }, info) =>
      resolvePage(args, info, { kind: 'app', fetch: (request) => apps.list(merchant.id, request) }),
  }),
);
