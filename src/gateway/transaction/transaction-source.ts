import { fetchRecord } from '../rest/fetch-record.ts';
import { fetchList, type ListRequest } from '../rest/list.ts';
import { loadById, oneByOne } from '../rest/load-by-id.ts';
import { path } from '../rest/path.ts';
import { openRecord, type RestRecord, readFlag } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { RestError } from '../rest/rest-error.ts';

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

/** The three ways to move the money of a transaction. */
export type Movement = 'capture' | 'refund' | 'void';

/** A movement in the service's words; amounts in minor units. */
export interface MovementRequest {
  readonly amount: number;
  readonly currency?: string;
  readonly descriptor?: string;
}

/** A payment from an earlier one or from a saved card, in the service's words. */
export interface NewTransaction {
  readonly transactionId?: string;
  readonly cardId?: string;
  readonly currency: string;
  readonly amount: number;
  readonly descriptor?: string;
  readonly custom?: unknown;
}

const collections = { capture: 'captures', refund: 'refunds', void: 'voids' } as const;

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
                  keep: (transaction) => readFlag(transaction, 'successful') === successful,
                }),
          },
        ),
      ),
    /**
     * Reads a transaction as it is now, on its own: a read that somebody else shares may
     * have begun before a write.
     */
    fresh,
    /** What the service answers to a movement is not promised, so its effect is read again. */
    move: async (
      id: string,
      movement: Movement,
      request: MovementRequest,
      operation: string,
    ): Promise<void> => {
      const address = path`/transactions/${id}/${collections[movement]}`;
      try {
        await payments.send('POST', address, request, operation);
      } finally {
        byId.forget(id);
      }
    },
    /** To be called when a read may have shown what is no longer true. */
    forget: byId.forget,
    /** Answers the new id. */
    create: async (
      merchantId: string,
      transaction: NewTransaction,
      operation: string,
    ): Promise<string> => {
      const address = path`/merchants/${merchantId}/transactions`;
      const { body } = await payments.send('POST', address, transaction, operation);
      const id = openRecord(body, 'transaction')?.id;
      if (id === undefined) throw new RestError('payments', 'POST', 'bad-response');
      return id;
    },
  };
}

/** The transactions of one request. */
export type TransactionSource = ReturnType<typeof createTransactionSource>;
