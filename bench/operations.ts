import type { Ask } from './contestants/ask.ts';

/** The language in which a contestant is asked; none if it does not read what it is asked. */
export type Dialect = 'tillgraph' | 'simple' | 'plain' | 'none';

/** A request of a scenario: what it asks for, and which of many documents asks for it. */
export interface Question {
  readonly ask: Ask;
  /** Number of the document, if every request has a document of its own. */
  readonly document?: number;
}

const DOCUMENT_DIGITS = 8;

const tillgraphTransaction = 'id amount { minorUnits currency } card { last4 }';
const simpleTransaction = 'id amount currency card { last4 }';

/** The document of a question, without the name of its operation. */
function textOf(dialect: 'tillgraph' | 'simple', ask: Ask): string {
  const own = dialect === 'tillgraph';
  const edges = (node: string) => (own ? `edges { node { ${node} } }` : node);
  const transaction = own ? tillgraphTransaction : simpleTransaction;
  if (ask.kind === 'merchant') {
    const list = (inner: string) =>
      `id name transactions(first: ${ask.first}) { ${edges(`${transaction} ${inner}`.trim())} }`;
    let fields = list('');
    for (let depth = 1; depth < ask.depth; depth++) fields = list(`merchant { ${fields} }`);
    return `($id: ID!) { merchant(id: $id) { ${fields} } }`;
  }
  if (ask.kind === 'lines') {
    const line = `id transaction { ${transaction} } merchant { id name }`;
    return `($id: ID!) { merchant(id: $id) { id lines(first: ${ask.first}) { ${edges(line)} } } }`;
  }
  return own
    ? '($input: CaptureTransactionInput!) { captureTransaction(input: $input) { ... on CaptureTransactionSuccess { transaction { id capturedAmount { minorUnits } } } ... on MutationError { code } } }'
    : '($id: ID!, $amount: Int!, $currency: String!, $key: String!) { captureTransaction(id: $id, amount: $amount, currency: $currency, key: $key) { id capturedAmount } }';
}

function variablesOf(dialect: Dialect, ask: Ask): object {
  if (ask.kind !== 'capture') return { id: ask.id };
  const { id, amount, currency, key } = ask;
  if (dialect === 'simple') return { id, amount, currency, key };
  const input = { transactionId: id, amount: { minorUnits: amount, currency } };
  return { input: { ...input, idempotencyKey: key } };
}

/** The body of the request that asks a question in a dialect. */
export function bodyOf(dialect: Dialect, { ask, document }: Question): string {
  if (dialect === 'plain' || dialect === 'none') return JSON.stringify(ask);
  const type = ask.kind === 'capture' ? 'mutation' : 'query';
  const name =
    document === undefined ? 'Bench' : `Bench${String(document).padStart(DOCUMENT_DIGITS, '0')}`;
  const query = `${type} ${name}${textOf(dialect, ask)}`;
  return JSON.stringify({ query, variables: variablesOf(dialect, ask) });
}
