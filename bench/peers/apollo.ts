/** Apollo Server with its REST data source: the common choice. */
import { type AugmentedRequest, RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import type { CaptureAsk } from '../contestants/ask.ts';
import { capture } from '../contestants/capture.ts';
import type { Line, Merchant, Transaction } from '../contestants/records.ts';
import { simpleSchema } from '../contestants/simple-schema.ts';

class Payments extends RESTDataSource {
  override baseURL = process.env.UPSTREAM_URL ?? '';
  readonly authorization: string;

  constructor(authorization: string) {
    super();
    this.authorization = authorization;
  }

  override willSendRequest(_path: string, { headers }: AugmentedRequest): void {
    headers.authorization = this.authorization;
  }

  read<T>(path: string): Promise<T> {
    return this.get<T>(path);
  }
}

interface Context {
  readonly payments: Payments;
}

const server = new ApolloServer<Context>({
  typeDefs: simpleSchema,
  resolvers: {
    Query: {
      merchant: (_root: unknown, { id }: { id: string }, { payments }: Context) =>
        payments.read<Merchant>(`/merchants/${id}`),
    },
    Mutation: {
      captureTransaction: (
        _root: unknown,
        request: Omit<CaptureAsk, 'kind'>,
        { payments }: Context,
      ) => capture(request, payments.authorization),
    },
    Merchant: {
      transactions: ({ id }: Merchant, { first }: { first: number }, { payments }: Context) =>
        payments.read<Transaction[]>(`/merchants/${id}/transactions?limit=${first}`),
      lines: ({ id }: Merchant, { first }: { first: number }, { payments }: Context) =>
        payments.read<Line[]>(`/merchants/${id}/lines?limit=${first}`),
    },
    Transaction: {
      merchant: ({ merchantId }: Transaction, _args: unknown, { payments }: Context) =>
        payments.read<Merchant>(`/merchants/${merchantId}`),
    },
    Line: {
      transaction: ({ transactionId }: Line, _args: unknown, { payments }: Context) =>
        payments.read<Transaction>(`/transactions/${transactionId}`),
      merchant: ({ merchantId }: Line, _args: unknown, { payments }: Context) =>
        payments.read<Merchant>(`/merchants/${merchantId}`),
    },
  },
});

const { url } = await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: 0 },
  context: async ({ req }) => ({ payments: new Payments(req.headers.authorization ?? '') }),
});
console.log(`listening on ${url.replace(/\/$/, '')}`);
process.on('SIGTERM', () => process.exit(0));
