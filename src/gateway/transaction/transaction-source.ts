import { createRecord, fetchRecord } from '../rest/fetch-record.ts';
import { fetchList, type ListRequest } from '../rest/list.ts';
import { loadById, oneByOne } from '../rest/load-by-id.ts';
import { path } from '../rest/path.ts';
import { type RestRecord, readPromisedFlag } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';

/** A transaction as the service sends it. Specification: payments, "Transaction". */
export type Transaction = RestRecord<
  | 'merchantId'
  | 'test'
  | 'created'
  | 'currency'
  | 'amount'
  | 'descriptor'
  | 'pendingAmount'
  | 'capturedAmount'
  | 'refundedAmount'
  | 'voidedAmount'
  | 'disputedAmount'
  | 'card'
  | 'custom'
  | 'tds'
  | 'recurring'
  | 'successful'
  | 'error'
  | 'trail'
  | 'trails'
>;

/** Whether the amount was reserved. If the service does not report it, nothing may be assumed. */
export function isSuccessful(transaction: Transaction): boolean {
  return readPromisedFlag(transaction, 'successful');
}

/** Body of a capture, refund or void; amounts in minor units. */
export interface MovementRequest {
  readonly amount: number;
  readonly currency?: string;
  readonly descriptor?: string;
}

/** Body of a new transaction, made from an earlier one or from a saved card; amounts in minor units. */
export interface NewTransaction {
  readonly transactionId?: string;
  readonly cardId?: string;
  readonly currency: string;
  readonly amount: number;
  readonly descriptor?: string;
  readonly custom?: unknown;
}

/** The collections below a transaction to which movements are posted. */
export type MovementCollection = 'captures' | 'refunds' | 'voids';

/** The transactions of one request. */
export function createTransactionSource(payments: RestClient) {
  const fresh = (id: string) =>
    fetchRecord<Transaction>(payments, path`/transactions/${id}`, 'transaction');
  const byId = loadById<Transaction>('payments', oneByOne(fresh));

  return {
    load: byId.load,
    read: byId.read,
    list: async (merchantId: string, request: ListRequest, successful: boolean | undefined) =>
      byId.seed(
        await fetchList<Transaction>(
          payments,
          path`/merchants/${merchantId}/transactions`,
          request,
          {
            name: 'transactions',
            ...(successful === undefined
              ? {}
              : {
                  filters: { 'filter[successful]': successful ? 'y' : 'n' },
                  keep: (transaction) => isSuccessful(transaction) === successful,
                }),
          },
        ),
      ),
    /** Reads the transaction from the service now. A read shared with others may have begun before a write. */
    fresh,
    /** The specification does not show the response to a movement, so the transaction is read again. */
    move: async (
      id: string,
      collection: MovementCollection,
      request: MovementRequest,
      operationId: string,
    ): Promise<void> => {
      try {
        await payments.send('POST', path`/transactions/${id}/${collection}`, request, operationId);
      } finally {
        byId.forget(id);
      }
    },
    /** Drops the loaded transaction, because a write may have changed it. */
    forget: byId.forget,
    /** Returns the new id. */
    create: async (
      merchantId: string,
      transaction: NewTransaction,
      operationId: string,
    ): Promise<string> => {
      const { id } = await createRecord<Transaction>(
        payments,
        path`/merchants/${merchantId}/transactions`,
        { name: 'transaction', body: transaction, idempotencyKey: operationId },
      );
      return id;
    },
  };
}

/** The source that {@link createTransactionSource} returns. */
export type TransactionSource = ReturnType<typeof createTransactionSource>;
