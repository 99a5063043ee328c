import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { readInstantOrNull, readStringOrNull } from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import type { App } from './app-source.ts';

/** A client application in the payments service. */
export const AppRef = builder.objectRef<App>('App').implement({
  description:
    'A client application that is registered in the payments service. Requests authenticate with an app key, which this type does not contain. `Query.node` returns an app only if it is the calling app.',
  interfaces: [NodeRef],
  fields: (t) => ({
    name: t.string({
      nullable: true,
      description: 'Name of the app. Null if it has none.',
      resolve: (app) => readStringOrNull(app, 'name'),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the app was created. Null if not reported.',
      resolve: (app) => readInstantOrNull(app, 'created'),
    }),
  }),
});

// The service cannot look up an app by id: only the calling app can be loaded.
implementNode(AppRef, 'app', async (id, { viewer }) => {
  const app = await viewer.load();
  return app.id === id ? app : null;
});

const AppConnection = connectionType('App', AppRef);

builder.objectField(MerchantRef, 'apps', (t) =>
  t.field({
    type: AppConnection,
    ...semanticNonNull,
    description: 'Apps with access to the merchant, newest first.',
    args: pagingArgs(t.arg),
    resolve: (merchant, args, { apps }, info) =>
      resolvePage(args, info, { kind: 'app', fetch: (request) => apps.list(merchant.id, request) }),
  }),
);
