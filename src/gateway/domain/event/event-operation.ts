import type { FeedEvent } from '../../events/feed.ts';
import type { Operation } from '../../money/engine/operation.ts';
import { builder } from '../../schema/builder.ts';
import type { Context } from '../../schema/context.ts';
import { MoneyOperationRef } from '../money-operation/money-operation.ts';
import { loadOperation, KIND as OPERATION } from '../transaction/money/money-operation-query.ts';
import { listRecorded } from '../transaction/money/operation-list.ts';
import { entryOf } from '../transaction/money/trail-snapshot.ts';
import { EventRef, loadTransaction } from './event.ts';

/** More operations of one transaction are not compared. */
const MAX_OPERATIONS = 100;

builder.objectField(EventRef, 'operation', (t) =>
  t.field({
    type: MoneyOperationRef,
    nullable: true,
    description:
      'The money operation of this gateway that did it, or whose outcome became known. Null if somebody else did it, or if it is not recorded yet.',
    resolve: (event, _args, context) => findOperation(event, context),
  }),
);

async function findOperation(event: FeedEvent, context: Context): Promise<Operation | null> {
  const { merchant: merchantId, transaction: transactionId, kind, entry, itemKind, item } = event;
  if (itemKind === OPERATION && item !== null) return loadOperation(item, context);
  const isOfOperation = entry !== null || kind === 'TRANSACTION_CREATED';
  if (transactionId === null || !isOfOperation) return null;
  const transaction = await loadTransaction(event, context);
  if (transaction === null) return null;
  const listed = await listRecorded(
    { merchantId, transactionId, states: ['SUCCEEDED'], backward: false, limit: MAX_OPERATIONS },
    context,
  );
  const operations = listed.map(({ operation }) => operation);
  if (entry === null) return operations.find((one) => one.kind === 'CREATE') ?? null;
  const told = JSON.parse(entry);
  const isOwn = (operation: Operation) => {
    const raw = entryOf(operation, transaction)?.raw;
    if (raw === undefined) return false;
    return told.lineId == null || raw.lineId == null
      ? raw.created === told.created && raw.amount === told.amount && raw.void === told.void
      : raw.lineId === told.lineId;
  };
  return operations.find(isOwn) ?? null;
}
