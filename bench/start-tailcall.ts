import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { type Child, startChild } from './process.ts';

/** How Tailcall is started. */
export interface TailcallOptions {
  readonly binary: string;
  readonly folder: string;
  readonly upstreamUrl: string;
  /** Whether equal calls that are in flight at the same time are made once. */
  readonly dedupe: boolean;
}

/** Starts Tailcall, which validates documents only if it is told to. */
export async function startTailcall({
  binary,
  folder,
  upstreamUrl,
  dedupe,
}: TailcallOptions): Promise<Child> {
  const port = await freePort();
  const file = join(folder, `tailcall-${port}.graphql`);
  writeFileSync(file, configuration(port, upstreamUrl, dedupe));
  const child = await startChild({
    command: binary,
    args: ['start', file],
    place: 'contestant',
    ready: /launched at/,
    env: { TAILCALL_TRACKER: 'false', NO_COLOR: '1' },
  });
  return { ...child, url: `http://127.0.0.1:${port}/graphql` };
}

function configuration(port: number, upstreamUrl: string, dedupe: boolean): string {
  const http = (path: string, query = '') =>
    `@http(url: "${upstreamUrl}${path}", dedupe: ${dedupe}${query})`;
  const limited = ', query: [{ key: "limit", value: "{{.args.first}}" }]';
  return `
schema
  @server(port: ${port}, hostname: "127.0.0.1", queryValidation: true, workers: 1)
  @upstream(allowedHeaders: ["authorization"]) { query: Query }
type Query { merchant(id: ID!): Merchant ${http('/merchants/{{.args.id}}')} }
type Merchant {
  id: ID!
  name: String
  transactions(first: Int!): [Transaction!]! ${http('/merchants/{{.value.id}}/transactions', limited)}
  lines(first: Int!): [Line!]! ${http('/merchants/{{.value.id}}/lines', limited)}
}
type Transaction {
  id: ID!
  amount: Int!
  currency: String!
  card: Card
  merchantId: ID!
  merchant: Merchant ${http('/merchants/{{.value.merchantId}}')}
}
type Card { last4: String }
type Line {
  id: ID!
  transactionId: ID!
  merchantId: ID!
  transaction: Transaction ${http('/transactions/{{.value.transactionId}}')}
  merchant: Merchant ${http('/merchants/{{.value.merchantId}}')}
}
`;
}
