import { builder } from '../../schema/builder.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { AppRef } from '../app/app.ts';

builder.queryField('viewer', (t) =>
  t.field({
    type: AppRef,
    ...semanticNonNull,
    description: 'The calling app: the app whose key the request contains.',
    resolve: (_root, _args, { viewer }) => viewer.load(),
  }),
);
