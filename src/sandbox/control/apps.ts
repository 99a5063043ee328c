import { z } from 'zod';
import type { DescribedRoute } from '../http/operation.ts';
import type { Controlled } from './controlled.ts';
import { recordId } from './fields.ts';
import { defineOperation, found } from './operation.ts';

/** Apps: hide a key. */
export function appOperations({ environment }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'PUT',
      path: '/apps/:id',
      summary: 'Hide the key of an app in the lists of apps, or show it again.',
      body: z.strictObject({ keyHidden: z.boolean() }),
      output: z.object({ appId: z.string(), keyHidden: z.boolean() }),
      handle: async ({ params, body: { keyHidden } }) => {
        const [row] = await environment.database.query<{ id: string }>(
          'UPDATE app SET key_hidden = $2 WHERE id = $1 RETURNING id',
          [recordId('app').safeParse(params.id).data, keyHidden],
        );
        return { appId: found(row, 'This app').id, keyHidden };
      },
    }),
  ];
}
