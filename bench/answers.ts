import type { Ask } from './contestants/ask.ts';
import type { Dialect } from './operations.ts';
import * as records from './services/records.ts';

/** What an answer says, without what the dialects write differently. */
export type Data = unknown;

type Json = Readonly<Record<string, unknown>>;

/** A field of an answer, which is read without knowing its shape. */
const at = (value: unknown, field: string): unknown => (value as Json | null)?.[field];

const NODE_ID = /^[a-z]{3}_/;

/** Ids without the kind of the node, connections as lists, amounts of money in two fields. */
function simplify(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(NODE_ID, '');
  if (Array.isArray(value)) return value.map(simplify);
  if (typeof value !== 'object' || value === null) return value;
  const edges = at(value, 'edges');
  if (Array.isArray(edges)) return edges.map((edge) => simplify(at(edge, 'node')));
  const fields = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const minorUnits = at(field, 'minorUnits');
    if (minorUnits === undefined) return [[name, simplify(field)]];
    const currency = at(field, 'currency');
    return [[name, minorUnits], ...(currency ? ([['currency', currency]] as const) : [])] as [
      string,
      unknown,
    ][];
  });
  return Object.fromEntries(fields);
}

/** What the body of an answer says. Throws if it is not an answer. */
export function readAnswer(dialect: Dialect, ask: Ask, text: string): Data {
  const body: unknown = JSON.parse(text);
  if (dialect === 'plain') return body;
  if (at(body, 'errors') !== undefined) throw new Error(text.slice(0, 500));
  const data = at(body, 'data');
  if (ask.kind !== 'capture') return simplify(at(data, 'merchant'));
  const result = simplify(at(data, 'captureTransaction'));
  return dialect === 'tillgraph' ? at(result, 'transaction') : result;
}

function showTransaction({ id, amount, currency, card }: ReturnType<typeof records.transaction>) {
  return { id, amount, currency, card: { last4: card.last4 } };
}

function showMerchant(id: string, sender: records.Sender) {
  const { name } = records.merchant(id, sender);
  return { id, name };
}

/** What the answer to a question must say, computed from the records. */
export function expected(ask: Ask, sender: records.Sender): Data {
  if (ask.kind === 'capture') return { id: ask.id, capturedAmount: ask.amount };
  if (ask.kind === 'lines') {
    const lines = records.linesOf(ask.id, ask.first).map((line) => ({
      id: line.id,
      transaction: showTransaction(records.transaction(line.transactionId)),
      merchant: showMerchant(line.merchantId, sender),
    }));
    return { id: ask.id, lines };
  }
  let inner: object = {};
  for (let depth = 0; depth < ask.depth; depth++) {
    const nested = depth === 0 ? {} : { merchant: inner };
    const transactions = records
      .transactionsOf(ask.id, ask.first)
      .map((item) => ({ ...showTransaction(item), ...nested }));
    inner = { ...showMerchant(ask.id, sender), transactions };
  }
  return inner;
}
