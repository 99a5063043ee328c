import type { Path } from '../rest/path.ts';
import { openList, toRecord } from '../rest/record.ts';
import type { Query, RestClient, WriteMethod } from '../rest/rest-client.ts';
import { AccessDeniedError, badResponse, notFound } from '../rest/rest-error.ts';
import { listGranted } from './granted-merchants.ts';
import {
  createGrantedRecords,
  type GrantedRecords,
  type MerchantRecord,
} from './granted-records.ts';

/** A read. */
interface Read {
  readonly path: Path;
  /** The first id in the path. */
  readonly id: string;
  readonly query: Query | undefined;
}

/** A write that is to be sent. */
interface Write {
  readonly path: Path;
  /** The first id in the path. */
  readonly id: string;
  readonly body: object | undefined;
}

/** What a caller with access to some merchants may do. A call without a rule is denied. */
export interface MerchantRules {
  /** Make a read, and reject if the caller may not see the response. By route. */
  readonly reads: ReadonlyMap<string, ReadRule>;
  /** Reject if the caller may not send the write. By method and route. */
  readonly writes: ReadonlyMap<string, WriteRule>;
}

type ReadRule = (read: Read) => Promise<unknown>;
type WriteRule = (write: Write) => Promise<void>;

/** Creates the rules of one request. Whose a record is, is known only from the record. */
export function createMerchantRules(
  service: RestClient,
  merchants: ReadonlySet<string>,
): MerchantRules {
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

/** Throws, as if it did not exist, unless the caller has access to the merchant. */
type RequireMerchant = (id: string, method: 'GET' | WriteMethod) => void;

function createReads(
  service: RestClient,
  records: GrantedRecords,
  requireMerchant: RequireMerchant,
): [string, ReadRule][] {
  const readMerchant: ReadRule = async ({ path, id, query }) => {
    requireMerchant(id, 'GET');
    return service.get(path, query);
  };
  const readRecord = (name: string): ReadRule => {
    return ({ path }) => records.read(path, name);
  };
  const listBelow = (name: string): ReadRule => {
    return async (read) => checkOwners(await readMerchant(read), name, read.id);
  };
  const listByFilter = (name: string): ReadRule => {
    return async ({ path, query = {} }) => {
      const id = String(query['filter[merchantId]']);
      requireMerchant(id, 'GET');
      const transactionId = query['filter[transactionId]'];
      // The service could respond in another way if the transaction of another merchant exists.
      const isVisible =
        transactionId === undefined || (await records.has('transaction', transactionId));
      return isVisible ? checkOwners(await service.get(path, query), name, id, true) : [];
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
  const message = 'The token is for certain merchants, so it cannot create one.';
  throw new AccessDeniedError('FORBIDDEN', 'payments', message);
}

/**
 * Throws if an item belongs to another merchant than the list that was asked for.
 *
 * @param always whether an item that does not name its merchant is such an item
 */
function checkOwners(response: unknown, name: string, merchantId: string, always = false): unknown {
  for (const item of openList(response, name) ?? []) {
    const { merchantId: owner = null } = toRecord<MerchantRecord>(item) ?? { merchantId };
    const isUnknown = owner === null && !always;
    if (owner !== merchantId && !isUnknown) throw badResponse('payments', 'GET');
  }
  return response;
}
