import type { EffectFinder } from '../../operation/attempt.ts';
import type { Effect } from '../../operation/machine.ts';
import type { Creation, Movement, OperationIn } from '../../operation/operation.ts';
import type { Rejection } from '../../operation/rejection.ts';
import { candidateEntries } from '../../operation/snapshot.ts';
import { isObject } from '../../rest/record.ts';
import { badResponse } from '../../rest/rest-error.ts';
import { isSuccessful, type Transaction, type TransactionSource } from '../transaction-source.ts';
import { readTag } from './operation-tag.ts';
import { toSnapshotEntries } from './trail-snapshot.ts';

const MAX_PAGES = 10;
const PAGE_SIZE = 100;

/** Finds the effects of operations at the payments service, with the credential of one caller. */
export function createEffectFinder(transactions: TransactionSource): EffectFinder {
  return {
    findEffect: (operation) =>
      operation.kind === 'CREATE'
        ? findCreated(operation, transactions)
        : findEntries(operation, transactions),
  };
}

async function findEntries(
  operation: Movement & OperationIn<'UNKNOWN'>,
  transactions: TransactionSource,
): Promise<Effect> {
  const transaction = await transactions.fresh(operation.transactionId);
  if (transaction === null) throw badResponse('payments', 'GET');
  transactions.forget(operation.transactionId);
  const entries = toSnapshotEntries(transaction);
  return { kind: 'ENTRIES', entries: candidateEntries(operation, operation.snapshot, entries) };
}

/**
 * Searches the transactions that are newer than the snapshot for the operation's tag. Throws
 * if there are more than `MAX_PAGES` pages of them.
 */
async function findCreated(
  { id, merchantId, snapshot }: Creation & OperationIn<'UNKNOWN'>,
  transactions: TransactionSource,
): Promise<Effect> {
  let after = snapshot.newest ?? undefined;
  let before: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const listed = await transactions.list(
      merchantId,
      {
        limit: PAGE_SIZE,
        ...(after === undefined ? {} : { after }),
        ...(before ? { before } : {}),
      },
      undefined,
    );
    const found = await findTagged(listed, id, transactions);
    if (found !== undefined) return toEffect(found);
    // The service may shorten a page silently, so only an empty page is the last one.
    const last = listed.at(-1)?.id;
    if (last === undefined) return { kind: 'ABSENT' };
    // With `after` the oldest come first. Without a newest transaction in the snapshot, the
    // list is read from its newest end.
    if (after === undefined) before = last;
    else after = last;
  }
  throw badResponse('payments', 'GET');
}

async function findTagged(
  listed: readonly Transaction[],
  operationId: string,
  transactions: TransactionSource,
): Promise<Transaction | undefined> {
  for (const item of listed) {
    const incomplete = item.custom === undefined || item.successful === undefined;
    const transaction = incomplete ? await transactions.fresh(item.id) : item;
    if (transaction !== null && readTag(transaction) === operationId) return transaction;
  }
  return undefined;
}

function toEffect(transaction: Transaction): Effect {
  const { id: transactionId } = transaction;
  if (isSuccessful(transaction)) return { kind: 'CREATED', transactionId };
  return { kind: 'DECLINED', transactionId, rejection: toDecline(transaction.error) };
}

/** A decline: the processing error in the service's own shape, without the payment. */
export function toDecline(error: unknown): Rejection {
  const { response: _payment, ...processingError } = isObject(error) ? error : {};
  return {
    code: 'PROCESSING_FAILED',
    message: 'The payment was declined. Nothing was reserved.',
    processingError: isObject(error) ? processingError : (error ?? null),
  };
}
