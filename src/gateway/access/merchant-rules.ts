import type { Path } from '../upstream/path.ts';
import { isAbsent, openList, openRecord, toRecord } from '../upstream/record.ts';
import type { Query, RestClient, WriteMethod } from '../upstream/rest-client.ts';
import { AccessDeniedError, badResponse, notFound, RestError } from '../upstream/rest-error.ts';
import {
  createGrantedRecords,
  type GrantedRecords,
  listGranted,
  type MerchantRecord,
} from './granted-merchants.ts';

/** A read. */
interface Read {
  readonly path: Path;
  /** The first id in the path. */
  readonly id: string;
  readonly query: Query | undefined;
}

/** A write to send. */
interface Write {
  readonly path: Path;
  /** The first id in the path. */
  readonly id: string;
  readonly body: object | undefined;
}

/** What a caller with access to some merchants may do. Calls without a rule are denied. */
export interface MerchantRules {
  /** By route. Make the read, and reject if the caller may not see the response. */
  readonly reads: ReadonlyMap<string, ReadRule>;
  /** By method and route. Reject if the caller may not send the write. */
  readonly writes: ReadonlyMap<string, WriteRule>;
}

type ReadRule = (read: Read) => Promise<unknown>;
type WriteRule = (write: Write) => Promise<void>;

/** Creates the rules of one request. Only a record itself shows which merchant it belongs to. */
export function createMerchantRules(
  client: RestClient,
  merchants: ReadonlySet<string>,
): MerchantRules {
  const service = withoutForbidden(client);
  const records = createGrantedRecords(service, merchants);
  const requireMerchant: RequireMerchant = (id, method) => {
    if (!merchants.has(id)) throw notFound('payments', method);
  };
  return {
    reads: new Map([
      ['/me', ({ path }) => service.get(path)],
      ['/identities/:id/merchants', ({ query }) => listGranted(service, merchants, query)],
      ...createReads(service, records, requireMerchant),
    ]),
    writes: new Map(createWrites(records, requireMerchant)),
  };
}

/** Makes what the gateway's app may not read look as if it did not exist. */
function withoutForbidden(client: RestClient): RestClient {
  return {
    ...client,
    get: async (path, query) => {
      try {
        return await client.get(path, query);
      } catch (error) {
        const isForbidden = error instanceof RestError && error.status === 403;
        throw isForbidden ? notFound('payments', 'GET') : error;
      }
    },
  };
}

/** Throws as if the merchant did not exist, unless the caller has access to it. */
type RequireMerchant = (id: string, method: 'GET' | WriteMethod) => void;

function createReads(
  service: RestClient,
  records: GrantedRecords,
  requireMerchant: RequireMerchant,
): [string, ReadRule][] {
  const readMerchant: ReadRule = async ({ path, id }) => {
    requireMerchant(id, 'GET');
    const response = await service.get(path);
    const isOther = !isAbsent(response) && openRecord(response, 'merchant')?.id !== id;
    if (isOther) throw badResponse('payments', 'GET');
    return response;
  };
  const readRecord = (name: string): ReadRule => {
    return ({ path }) => records.read(path, name);
  };
  const listBelow = (name: string): ReadRule => {
    return async ({ path, id, query }) => {
      requireMerchant(id, 'GET');
      const response = await service.get(path, query);
      const named = checkOwners(response, name, id);
      if (name === 'transactions') for (const item of named) records.note('transaction', item.id);
      return response;
    };
  };
  const listByFilter = (name: string): ReadRule => {
    return async ({ path, query = {} }) => {
      const id = String(query['filter[merchantId]']);
      requireMerchant(id, 'GET');
      const transactionId = query['filter[transactionId]'];
      // The response could reveal whether another merchant's transaction exists.
      const isVisible =
        transactionId === undefined || (await records.has('transaction', transactionId));
      if (!isVisible) return [];
      const response = await service.get(path, query);
      checkOwners(response, name, id, true);
      return response;
    };
  };
  return [
    ['/merchants/:id', readMerchant],
    ['/merchants/:id/transactions', listBelow('transactions')],
    ['/merchants/:id/lines', listBelow('lines')],
    ['/merchants/:id/users', listBelow('users')],
    ['/merchants/:id/apps', listBelow('apps')],
    ['/transactions/:id', readRecord('transaction')],
    ['/lines/:id', readRecord('line')],
    ['/cards/:id', readRecord('card')],
    ['/disputes/:id', readRecord('dispute')],
    ['/frauds/:id', readRecord('fraud')],
    ['/disputes', listByFilter('disputes')],
    ['/frauds', listByFilter('frauds')],
  ];
}

function createWrites(
  records: GrantedRecords,
  requireMerchant: RequireMerchant,
): [string, WriteRule][] {
  async function requireRecord(name: 'transaction' | 'card', id: unknown): Promise<void> {
    if (!(await records.has(name, id))) throw notFound('payments', 'POST');
  }
  const change = (method: WriteMethod): WriteRule => {
    return async ({ id }) => requireMerchant(id, method);
  };
  const createFromSource: WriteRule = async ({ id, body = {} }) => {
    requireMerchant(id, 'POST');
    if ('transactionId' in body) await requireRecord('transaction', body.transactionId);
    if ('cardId' in body) await requireRecord('card', body.cardId);
  };
  const move: WriteRule = ({ id }) => requireRecord('transaction', id);
  return [
    ['POST /apps', async () => {}],
    ['POST /merchants', denyNewMerchant],
    ['PUT /merchants/:id', change('PUT')],
    ['POST /merchants/:id/users', change('POST')],
    ['DELETE /merchants/:id/users/:id', change('DELETE')],
    ['POST /merchants/:id/apps', change('POST')],
    ['DELETE /merchants/:id/apps/:id', change('DELETE')],
    ['POST /merchants/:id/cards', createFromSource],
    ['POST /merchants/:id/transactions', createFromSource],
    ['POST /transactions/:id/captures', move],
    ['POST /transactions/:id/refunds', move],
    ['POST /transactions/:id/voids', move],
  ];
}

async function denyNewMerchant(): Promise<never> {
  const message = 'The token is for specific merchants, so it cannot create one.';
  throw new AccessDeniedError('FORBIDDEN', 'payments', message);
}

/**
 * Throws if an item belongs to another merchant than the requested list. Returns the records that
 * name their merchant.
 *
 * @param always whether an item that does not name its merchant is rejected too
 */
function checkOwners(
  response: unknown,
  name: string,
  merchantId: string,
  always = false,
): readonly MerchantRecord[] {
  const records = (openList(response, name) ?? [])
    .map((item) => toRecord<MerchantRecord>(item))
    .filter((record) => record !== undefined);
  for (const { merchantId: owner = null } of records) {
    const isUnknown = owner === null && !always;
    if (owner !== merchantId && !isUnknown) throw badResponse('payments', 'GET');
  }
  return records.filter((record) => record.merchantId === merchantId);
}
