import { AppRef } from '../app/app.ts';
import { builder } from '../graphql/builder.ts';
import { semanticNonNull } from '../graphql/semantic-non-null.ts';

builder.queryField('viewer', (t) =>
  t.field({
    type: AppRef,
    ...semanticNonNull,
    description: 'The calling app: the app whose key the request contains.',
    resolve: (_root, _args, { viewer }) => viewer.load(),
  }),
);
