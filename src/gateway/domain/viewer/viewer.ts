import { builder } from '../../schema/builder.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { AppRef } from '../app/app.ts';

builder.queryField('viewer', (t) =>
  t.field({
    type: AppRef,
    ...semanticNonNull,
    description:
      "The calling app, identified by the app key in the request. With an access token, the gateway's own app.",
    resolve: (_root, _args, { viewer }) => viewer.load(),
  }),
);
