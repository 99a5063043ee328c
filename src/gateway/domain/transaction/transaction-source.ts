import { fetchOwnRecord, fetchRecord } from '../../upstream/fetch-record.ts';
import { fetchList, type ListOptions, type ListRequest, openPages } from '../../upstream/list.ts';
import { loadOneByOne } from '../../upstream/load-by-id.ts';
import { type Path, path } from '../../upstream/path.ts';
import {
  openNamedRecord,
  type RestRecord,
  readPromisedFlag,
  readStringOrNull,
} from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';
import { badResponse } from '../../upstream/rest-error.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly transactions: TransactionSource;
  }
}

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

/**
 * The transactions of one request.
 *
 * @param money returns the client with the connections of money operations
 */
export function createTransactionSource(payments: RestClient, money: () => RestClient) {
  const name = 'transaction';
  const fetch = (id: string) => fetchRecord<Transaction>(payments, path`/transactions/${id}`, name);
  const fresh = (id: string) =>
    fetchOwnRecord<Transaction>(money(), id, path`/transactions/${id}`, name);
  const byId = loadOneByOne<Transaction>('payments', fetch);

  async function send(to: Path, body: object, operationId: string) {
    const response = await money().send('POST', to, body, operationId);
    return openNamedRecord<Transaction>(response.body, name);
  }

  return {
    load: byId.load,
    read: byId.read,
    list: async (merchantId: string, request: ListRequest, successful: boolean | undefined) =>
      byId.seed(
        await fetchList<Transaction>(
          payments,
          listPath(merchantId),
          request,
          optionsOf(successful),
        ),
      ),
    loadFull: byId.loadFull,
    adopt: byId.adopt,
    /** The same list, one call at a time. The service may ignore `successful`. */
    paged: (merchantId: string, successful: boolean | undefined) =>
      openPages<Transaction>(payments, listPath(merchantId), optionsOf(successful), byId.seed),
    /**
     * Lists transactions for a money operation. Throws if the list contains one of another
     * merchant.
     */
    listForMoney: (merchantId: string, request: ListRequest) =>
      listExactly(money(), merchantId, request),
    /** Loads the transaction of a money operation. */
    loadForMoney: (id: string) => byId.loadWith(id, fresh),
    /**
     * Reads the transaction from the service now, for a money operation. A shared read may have
     * started before a write. Throws if the service returns another transaction.
     */
    fresh,
    /** Reads the transaction from the service now, for a caller who may move its money. */
    freshToMove: async (id: string, collection: MovementCollection) => {
      const transaction = await fresh(id);
      if (transaction !== null) await money().admit('POST', movementPaths[collection](id));
      return transaction;
    },
    /** Rejects if the caller may not create this transaction. */
    admitCreate: (merchantId: string, transaction: Partial<NewTransaction>): Promise<void> =>
      money().admit('POST', listPath(merchantId), transaction),
    /** Moves the money of a transaction. Returns the transaction in the response, if there is one. */
    move: async (
      id: string,
      collection: MovementCollection,
      request: MovementRequest,
      operationId: string,
    ): Promise<Transaction | undefined> => {
      try {
        return await send(movementPaths[collection](id), request, operationId);
      } finally {
        byId.forget(id);
      }
    },
    /** Drops the loaded transaction, because a write may have changed it. */
    forget: byId.forget,
    /** Creates a transaction. Returns the one in the response, if there is one. */
    create: (
      merchantId: string,
      transaction: NewTransaction,
      operationId: string,
    ): Promise<Transaction | undefined> => send(listPath(merchantId), transaction, operationId),
  };
}

/** Lists transactions. Throws if the list contains one of another merchant, or anything else. */
async function listExactly(client: RestClient, merchantId: string, request: ListRequest) {
  const options = { name: 'transactions', exact: true };
  const listed = await fetchList<Transaction>(client, listPath(merchantId), request, options);
  const isForeign = (item: Transaction) =>
    (readStringOrNull(item, 'merchantId') ?? merchantId) !== merchantId;
  if (listed.some(isForeign)) throw badResponse(client.service, 'GET');
  return listed;
}

/** How to list all transactions, or only successful or declined ones. */
function optionsOf(successful: boolean | undefined): ListOptions<Transaction> {
  if (successful === undefined) return { name: 'transactions' };
  return {
    name: 'transactions',
    filters: { 'filter[successful]': successful ? 'y' : 'n' },
    keep: (transaction) => isSuccessful(transaction) === successful,
  };
}

/** Each path is written out, because spans show only the literal parts of its template. */
const movementPaths: Readonly<Record<MovementCollection, (id: string) => Path>> = {
  captures: (id) => path`/transactions/${id}/captures`,
  refunds: (id) => path`/transactions/${id}/refunds`,
  voids: (id) => path`/transactions/${id}/voids`,
};
const listPath = (merchantId: string) => path`/merchants/${merchantId}/transactions`;

/** The source that {@link createTransactionSource} returns. */
export type TransactionSource = ReturnType<typeof createTransactionSource>;
