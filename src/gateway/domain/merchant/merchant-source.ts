import { createRecord, fetchOwnRecord, fetchRecord } from '../../upstream/fetch-record.ts';
import { fetchList, type ListRequest, openPages } from '../../upstream/list.ts';
import { loadOneByOne } from '../../upstream/load-by-id.ts';
import { path } from '../../upstream/path.ts';
import { type RestRecord, readFlag } from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly merchants: MerchantSource;
  }
}

/** A merchant as the service sends it. Specification: payments, "Merchant". */
export type Merchant = RestRecord<
  | 'key'
  | 'name'
  | 'currency'
  | 'test'
  | 'email'
  | 'website'
  | 'descriptor'
  | 'company'
  | 'bank'
  | 'created'
  | 'balance'
>;

/** A new merchant, in the service's terms. */
export interface NewMerchant {
  readonly name?: string;
  readonly currency: string;
  readonly test: boolean;
  readonly email: string;
  readonly website: string;
  readonly descriptor: string;
  readonly company: { readonly country: string; readonly number?: string };
  readonly bank?: { readonly iban?: string };
}

/** The fields of a merchant that can change. */
export interface MerchantChanges {
  readonly name?: string;
  readonly email?: string;
  readonly descriptor?: string;
}

/**
 * The merchants of one request.
 *
 * @param money returns the client with the connections of money operations
 * @param fresh returns a client whose reads are not shared
 */
export function createMerchantSource(
  payments: RestClient,
  money: () => RestClient,
  fresh: () => RestClient,
) {
  const name = 'merchant';
  const fetch = (id: string) => fetchRecord<Merchant>(payments, path`/merchants/${id}`, name);
  const byId = loadOneByOne<Merchant>('payments', fetch);

  return {
    load: byId.load,
    read: byId.read,
    forget: byId.forget,
    /**
     * Reads the merchant from the service now, for a money operation. Throws if the service
     * returns another merchant.
     */
    readForMoney: (id: string) =>
      fetchOwnRecord<Merchant>(money(), id, path`/merchants/${id}`, name),
    /** Reads the merchant from the service now. */
    readFresh: (id: string) => fetchOwnRecord<Merchant>(fresh(), id, path`/merchants/${id}`, name),
    /** Merchants that an app has access to. The service accepts only the calling app. */
    list: async (appId: string, request: ListRequest, test: boolean | undefined) =>
      byId.seed(
        await fetchList<Merchant>(payments, path`/identities/${appId}/merchants`, request, {
          name: 'merchants',
          ...(test === undefined
            ? {}
            : {
                filters: { 'filter[test]': test ? 'y' : 'n' },
                keep: (merchant) => readFlag(merchant, 'test') === test,
              }),
        }),
      ),
    /** All merchants that an app has access to, newest first. */
    listAll: async (appId: string): Promise<readonly Merchant[]> => {
      const options = { name: 'merchants' };
      const { fetch: fetchPage } = openPages<Merchant>(
        payments,
        path`/identities/${appId}/merchants`,
        options,
        byId.seed,
      );
      const all = new Map<string, Merchant>();
      for (let before: string | undefined; ; ) {
        const cursor = before === undefined ? {} : { before };
        const { records, isLast } = await fetchPage({ limit: payments.pageMax, ...cursor });
        const last = records.at(-1);
        // A service could send the same page for ever.
        const isNew = last !== undefined && !all.has(last.id);
        for (const record of records) all.set(record.id, record);
        if (isLast || !isNew) return [...all.values()];
        before = last.id;
      }
    },
    /** Returns the new id. */
    create: async (merchant: NewMerchant): Promise<string> => {
      const created = await createRecord(payments, path`/merchants`, {
        name,
        body: merchant,
      });
      return created.id;
    },
    /** Rejects unless the caller may change the merchant. Sends nothing. */
    admitChange: (id: string) => payments.admit('PUT', path`/merchants/${id}`, {}),
    update: async (id: string, changes: MerchantChanges): Promise<void> => {
      try {
        await payments.send('PUT', path`/merchants/${id}`, changes);
      } finally {
        byId.forget(id);
      }
    },
  };
}

/** The merchants of one request. */
export type MerchantSource = ReturnType<typeof createMerchantSource>;
