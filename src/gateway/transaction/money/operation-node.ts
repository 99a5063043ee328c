import { implementNode } from '../../graphql/node.ts';
import { MoneyOperationRef } from '../../money-operation/money-operation.ts';
import { RestError } from '../../rest/rest-error.ts';
import { allStates } from './operation-filter.ts';
import { listRecorded } from './recorded-operations.ts';

const ID = /^([A-Za-z0-9_-]{1,128})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

// With the id of the merchant, so that access is known before the record is read.
implementNode(
  MoneyOperationRef,
  'mop',
  async (text, context) => {
    const [, merchantId = '', id = ''] = ID.exec(text) ?? [];
    const query = { merchantId, id, states: allStates, backward: false, limit: 1 };
    const listed = await listRecorded(query, context).catch((error) => {
      // As if it did not exist.
      if (error instanceof RestError && error.status === 403) return [];
      throw error;
    });
    return listed[0]?.operation ?? null;
  },
  { toId: ({ merchantId, id }) => `${merchantId}.${id}`, idPattern: ID, isOwn: true },
);
