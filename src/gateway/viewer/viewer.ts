import { builder } from '../graphql/builder.ts';
import { implementNode, NodeRef } from '../graphql/node.ts';
import { semanticNonNull } from '../graphql/semantic-non-null.ts';
import { readInstantOrNull, readTextOrNull } from '../rest/record.ts';
import type { App } from './viewer-source.ts';

/** A machine identity. */
export const AppRef = builder.objectRef<App>('App').implement({
  description:
    'A machine identity of the payments service. Its key is the credential of a request and is never shown here.',
  interfaces: [NodeRef],
  fields: (t) => ({
    name: t.string({
      nullable: true,
      description: 'What the app is called; null when it was given no name.',
      resolve: (app) => readTextOrNull(app, 'name'),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the app was created; null when the service does not tell.',
      resolve: (app) => readInstantOrNull(app, 'created'),
    }),
  }),
});

// The service has no app by id: the caller's own is the only one that can be found again.
implementNode(AppRef, 'app', async (id, { viewer }) => {
  const app = await viewer.load();
  return app.id === id ? app : null;
});

builder.queryField('viewer', (t) =>
  t.field({
    type: AppRef,
    ...semanticNonNull,
    description: 'The app whose key the request carries.',
    resolve: (_root, _args, { viewer }) => viewer.load(),
  }),
);
