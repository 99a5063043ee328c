import type { Finding } from '../operation/machine.ts';
import type { Operation, Refusal } from '../operation/operation.ts';
import { isObject, readFlag } from '../rest/record.ts';
import { RestError, ShapeError } from '../rest/rest-error.ts';
import type { Transaction, TransactionSource } from './transaction-source.ts';

/** Name under which an operation's id travels inside `custom`; callers may not use it. */
export const RESERVED = 'tillgraph';

const PAGES = 10;
const PAGE = 100;

/** What to send as `custom`, so that the transaction names its operation for ever. */
export function tagged(custom: object | undefined, operation: string): object {
  return { ...custom, [RESERVED]: { operation } };
}

/**
 * Looks for the transaction that an operation created among those newer than the picture
 * taken before, by the operation's id inside `custom`. Throws when there are too many to
 * look at all of them.
 */
export async function findCreated(
  operation: Operation,
  transactions: TransactionSource,
): Promise<Finding> {
  const { merchantId, preImage } = operation;
  let after = preImage?.newest ?? undefined;
  let before: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const listed = await transactions.list(
      merchantId,
      { limit: PAGE, ...(after === undefined ? {} : { after }), ...(before ? { before } : {}) },
      undefined,
    );
    const found = await firstTagged(listed, operation.id, transactions);
    if (found !== undefined) return toFinding(found);
    // A page may be cut silently; only an empty one is the end.
    const last = listed.at(-1)?.id;
    if (last === undefined) return { kind: 'ABSENT' };
    // Newer ones come oldest first; without a picture the list is walked from its newest.
    if (after === undefined) before = last;
    else after = last;
  }
  throw new RestError('payments', 'GET', 'bad-response');
}

async function firstTagged(
  listed: readonly Transaction[],
  operation: string,
  transactions: TransactionSource,
): Promise<Transaction | undefined> {
  for (const item of listed) {
    const short = item.custom === undefined || item.successful === undefined;
    const whole = short ? await transactions.fresh(item.id) : item;
    if (whole !== null && tagOf(whole) === operation) return whole;
  }
  return undefined;
}

function tagOf({ custom }: Transaction): unknown {
  const tag = isObject(custom) ? custom[RESERVED] : undefined;
  return isObject(tag) ? tag.operation : undefined;
}

function toFinding(transaction: Transaction): Finding {
  const { id: transactionId, successful } = transaction;
  // What is not told is not "no": a payment that was made must not be called declined.
  if (successful === undefined) throw new ShapeError('successful', true);
  if (readFlag(transaction, 'successful')) return { kind: 'CREATED', transactionId };
  return { kind: 'DECLINED', transactionId, refusal: toDecline(transaction.error) };
}

/** A decline as it is kept: the processing error in the service's own shape, without the payment. */
export function toDecline(error: unknown): Refusal {
  const { response: _payment, ...details } = isObject(error) ? error : {};
  return {
    code: 'PROCESSING_FAILED',
    message: 'The payment was declined; nothing was reserved.',
    details: isObject(error) ? details : (error ?? null),
  };
}
