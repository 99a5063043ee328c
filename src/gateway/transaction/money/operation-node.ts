import { implementNode } from '../../graphql/node.ts';
import { MoneyOperationRef } from '../../operation/money-operation.ts';
import { RestError } from '../../rest/rest-error.ts';
import { canReadMerchant } from './operation-access.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

implementNode(
  MoneyOperationRef,
  'mop',
  async (id, context) => {
    const operation = await context.money.findById(id);
    if (operation === undefined) return null;
    const isReadable = await canReadMerchant(operation.merchantId, context).catch((error) => {
      // As if it did not exist.
      if (error instanceof RestError && error.status === 403) return false;
      throw error;
    });
    return isReadable ? operation : null;
  },
  { idPattern: UUID, isOwn: true },
);
