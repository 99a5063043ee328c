import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A record as the service sends it. */
export type Wire = { readonly id: string } & Readonly<Record<string, unknown>>;

/** What the service knows, newest first. */
export interface WireLedger {
  readonly merchant: Wire;
  readonly transactions: readonly Wire[];
  readonly lines: readonly Wire[];
  readonly disputes: readonly Wire[];
  /** An id for which the caller has no access. */
  readonly forbidden?: string;
  /** An id of a record that the service fails to show. */
  readonly failing?: string;
  /** Names of the fields that lists of transactions leave out. */
  readonly omitted?: readonly string[];
}

/** A payments service that can page its lists, and nothing else. */
export interface LedgerService {
  readonly url: string;
  /** `/path?query` of every request, in order. */
  readonly requests: string[];
  /** Replaces what it knows. */
  show(ledger: WireLedger): void;
  /** Replaces what it knows after some more requests. */
  showAfter(requests: number, ledger: WireLedger): void;
  close(): Promise<void>;
}

/** Starts a service that knows nothing yet. */
export async function startLedgerService(): Promise<LedgerService> {
  let ledger: WireLedger | undefined;
  let later: { requests: number; readonly ledger: WireLedger } | undefined;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    requests.push(url);
    if (later !== undefined && later.requests-- === 0) {
      ledger = later.ledger;
      later = undefined;
    }
    const asked = new URL(url, 'http://service');
    const found = ledger && (knowsCursors(ledger, asked) ? answer(ledger, asked) : undefined);
    if (ledger?.forbidden !== undefined && url.endsWith(`/${ledger.forbidden}`)) {
      return void response.writeHead(403, { 'content-type': 'application/json' }).end('{}');
    }
    if (ledger?.failing !== undefined && url.endsWith(`/${ledger.failing}`)) {
      return void response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
    }
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  });
  // A busy process would send a request on a connection that is just being closed.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    show: (next) => {
      ledger = next;
      later = undefined;
    },
    showAfter: (count, next) => {
      later = { requests: count, ledger: next };
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(ledger: WireLedger, { pathname, searchParams }: URL): unknown {
  const { merchant, transactions, lines, disputes, omitted = [] } = ledger;
  const of = `/merchants/${merchant.id}`;
  if (pathname === '/me') return { identity: { id: 'app' } };
  if (pathname === '/identities/app/merchants')
    return { merchants: part([merchant], searchParams) };
  if (pathname === '/frauds') return { frauds: [] };
  if (pathname === of) return { merchant };
  if (pathname === `${of}/transactions`) {
    return { transactions: part(transactions, searchParams).map((one) => omit(one, omitted)) };
  }
  if (pathname === `${of}/lines`) return { lines: part(lines, searchParams) };
  if (pathname === '/disputes') return { disputes: part(disputes, searchParams) };
  const transaction = transactions.find(({ id }) => pathname === `/transactions/${id}`);
  return transaction && { transaction };
}

/** Specification: payments, "Pagination". */
/** Whether the items exist behind which a list is asked for. */
function knowsCursors({ transactions, lines, disputes }: WireLedger, { searchParams }: URL) {
  const ids = new Set([...transactions, ...lines, ...disputes].map((item) => item?.id));
  return ['before', 'after'].every((name) => {
    const cursor = searchParams.get(name);
    return cursor === null || ids.has(cursor) || cursor === 'm1';
  });
}

function part(list: readonly Wire[], query: URLSearchParams): readonly Wire[] {
  const limit = Number(query.get('limit'));
  const indexOf = (name: string) => list.findIndex(({ id }) => id === query.get(name));
  if (query.has('after')) return list.slice(0, indexOf('after')).reverse().slice(0, limit);
  const start = query.has('before') ? indexOf('before') + 1 : 0;
  return list.slice(start, start + limit);
}

function omit(record: Wire, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}
