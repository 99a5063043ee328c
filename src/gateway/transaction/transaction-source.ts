import { fetchRecord } from '../rest/fetch-record.ts';
import { fetchList, type ListRequest } from '../rest/list.ts';
import { loadById, oneByOne } from '../rest/load-by-id.ts';
import { type Path, path } from '../rest/path.ts';
import { openNamedRecord, type RestRecord, readPromisedFlag } from '../rest/record.ts';
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

/** What a complete 2xx shows of a write. Its structure is not specified. */
export interface WriteResponse {
  readonly body: unknown;
  /** The transaction in the body, if there is one. */
  readonly transaction: Transaction | undefined;
  /** The `Location` header. */
  readonly location: string | undefined;
}

/**
 * The transactions of one request.
 *
 * @param money client with the connections of money operations
 */
export function createTransactionSource(payments: RestClient, money: RestClient) {
  const fetchWith = (client: RestClient) => (id: string) =>
    fetchRecord<Transaction>(client, path`/transactions/${id}`, 'transaction');
  const fresh = fetchWith(money);
  const byId = loadById<Transaction>('payments', oneByOne(fetchWith(payments)));

  const listWith =
    (client: RestClient) =>
    async (merchantId: string, request: ListRequest, successful: boolean | undefined) =>
      byId.seed(
        await fetchList<Transaction>(client, path`/merchants/${merchantId}/transactions`, request, {
          name: 'transactions',
          ...(successful === undefined
            ? {}
            : {
                filters: { 'filter[successful]': successful ? 'y' : 'n' },
                keep: (transaction) => isSuccessful(transaction) === successful,
              }),
        }),
      );

  async function send(to: Path, body: object, operationId: string): Promise<WriteResponse> {
    const response = await money.send('POST', to, body, operationId);
    return { ...response, transaction: openNamedRecord(response.body, 'transaction') };
  }

  return {
    load: byId.load,
    read: byId.read,
    list: listWith(payments),
    /** Lists transactions for a money operation. */
    listForMoney: listWith(money),
    /** Loads the transaction of a money operation. */
    loadForMoney: (id: string) => byId.loadWith(id, fresh),
    /** Reads the transaction from the service now. A read shared with others may have begun before a write. */
    fresh,
    /** Moves the money of a transaction. */
    move: async (
      id: string,
      collection: MovementCollection,
      request: MovementRequest,
      operationId: string,
    ): Promise<WriteResponse> => {
      try {
        return await send(path`/transactions/${id}/${collection}`, request, operationId);
      } finally {
        byId.forget(id);
      }
    },
    /** Drops the loaded transaction, because a write may have changed it. */
    forget: byId.forget,
    /** Creates a transaction. */
    create: (
      merchantId: string,
      transaction: NewTransaction,
      operationId: string,
    ): Promise<WriteResponse> =>
      send(path`/merchants/${merchantId}/transactions`, transaction, operationId),
  };
}

/** The source that {@link createTransactionSource} returns. */
export type TransactionSource = ReturnType<typeof createTransactionSource>;
