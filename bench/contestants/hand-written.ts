/**
 * The limit: node:http, an undici Pool and `JSON.stringify`, without GraphQL. It makes the same
 * calls as a gateway that loads each record once. With `SINGLE_FLIGHT=on`, equal reads of one
 * credential that are in flight at the same time share everything, down to the text.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { announce } from '../services/announce.ts';
import type { Ask, LinesAsk, MerchantAsk } from './ask.ts';
import { capture } from './capture.ts';
import type { Line, Merchant, Transaction } from './records.ts';
import { get } from './upstream-client.ts';

const isShared = process.env.SINGLE_FLIGHT === 'on';
const flights = new Map<string, Promise<string>>();

const showTransaction = ({ id, amount, currency, card }: Transaction) => ({
  id,
  amount,
  currency,
  card: { last4: card.last4 },
});

const showMerchant = ({ id, name }: Merchant) => ({ id, name });

const loadMerchant = (id: string, authorization: string) =>
  get<Merchant>(`/merchants/${id}`, authorization);

async function readMerchant({ id, first, depth }: MerchantAsk, authorization: string) {
  const merchant = await loadMerchant(id, authorization);
  const path = `/merchants/${id}/transactions?limit=${first}`;
  const transactions = await get<Transaction[]>(path, authorization);
  // Each of them belongs to the merchant that it is listed for.
  const show = (levels: number): object => ({
    ...showMerchant(merchant),
    transactions: transactions.map((one) =>
      levels > 1 ? { ...showTransaction(one), merchant: show(levels - 1) } : showTransaction(one),
    ),
  });
  return show(depth);
}

async function readLines({ id, first }: LinesAsk, authorization: string) {
  const merchants = new Map([[id, loadMerchant(id, authorization)]]);
  const merchant = await merchants.get(id);
  const lines = await get<Line[]>(`/merchants/${id}/lines?limit=${first}`, authorization);
  const load = (other: string) => {
    const loading = merchants.get(other) ?? loadMerchant(other, authorization);
    merchants.set(other, loading);
    return loading;
  };
  const shown = lines.map(async (line) => {
    const [transaction, owner] = await Promise.all([
      get<Transaction>(`/transactions/${line.transactionId}`, authorization),
      load(line.merchantId),
    ]);
    return {
      id: line.id,
      transaction: showTransaction(transaction),
      merchant: showMerchant(owner),
    };
  });
  return { id: merchant?.id, lines: await Promise.all(shown) };
}

async function answer(ask: Ask, authorization: string): Promise<string> {
  if (ask.kind === 'merchant') return JSON.stringify(await readMerchant(ask, authorization));
  if (ask.kind === 'lines') return JSON.stringify(await readLines(ask, authorization));
  const { id, capturedAmount } = await capture(ask, authorization);
  return JSON.stringify({ id, capturedAmount });
}

function handle(text: string, authorization: string): Promise<string> {
  if (!isShared) return answer(JSON.parse(text), authorization);
  const key = `${authorization}\n${text}`;
  const shared = flights.get(key);
  if (shared !== undefined) return shared;
  const ask: Ask = JSON.parse(text);
  if (ask.kind === 'capture') return answer(ask, authorization);
  const flight = answer(ask, authorization).finally(() => flights.delete(key));
  flights.set(key, flight);
  return flight;
}

function readBody(request: IncomingMessage, done: (text: string) => void): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => done(text));
}

const server = createServer((request, response) => {
  const respond = (status: number, text: string) => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  };
  readBody(request, (text) => {
    handle(text, request.headers.authorization ?? '').then(
      (body) => respond(200, body),
      (error: Error) => respond(502, JSON.stringify({ error: error.message })),
    );
  });
});
announce(server);
