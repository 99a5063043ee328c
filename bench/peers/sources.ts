import type { Line, Merchant, Transaction } from '../contestants/records.ts';
import { get } from '../contestants/upstream-client.ts';

/** Reads for one request: each record is read once. */
export interface Sources {
  readonly authorization: string;
  merchant(id: string): Promise<Merchant>;
  transaction(id: string): Promise<Transaction>;
  transactions(merchantId: string, first: number): Promise<Transaction[]>;
  lines(merchantId: string, first: number): Promise<Line[]>;
}

/** Creates the sources of one request. */
export function createSources(authorization: string): Sources {
  const reads = new Map<string, Promise<unknown>>();
  function read<T>(path: string): Promise<T> {
    const reading = reads.get(path) ?? get(path, authorization);
    reads.set(path, reading);
    // What a path leads to is known from the specification.
    return reading as Promise<T>;
  }
  return {
    authorization,
    merchant: (id) => read(`/merchants/${id}`),
    transaction: (id) => read(`/transactions/${id}`),
    transactions: (id, first) => read(`/merchants/${id}/transactions?limit=${first}`),
    lines: (id, first) => read(`/merchants/${id}/lines?limit=${first}`),
  };
}
