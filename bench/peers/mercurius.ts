/** Mercurius with its JIT and its loaders: the fastest GraphQL server for Node that we know. */
import Fastify from 'fastify';
import mercurius from 'mercurius';
import type { CaptureAsk } from '../contestants/ask.ts';
import { capture } from '../contestants/capture.ts';
import type { Line, Merchant, Transaction } from '../contestants/records.ts';
import { simpleSchema } from '../contestants/simple-schema.ts';
import { createSources, type Sources } from './sources.ts';

type Queries<T, Args = object> = readonly { readonly obj: T; readonly params: Args }[];

declare module 'mercurius' {
  interface MercuriusContext extends Sources {}
}

const app = Fastify({ logger: false });

await app.register(mercurius, {
  schema: simpleSchema,
  jit: 1,
  graphiql: false,
  context: (request) => createSources(request.headers.authorization ?? ''),
  resolvers: {
    Query: {
      merchant: (_root: unknown, { id }: { id: string }, sources: Sources) => sources.merchant(id),
    },
    Mutation: {
      captureTransaction: (
        _root: unknown,
        request: Omit<CaptureAsk, 'kind'>,
        { authorization }: Sources,
      ) => capture(request, authorization),
    },
  },
  loaders: {
    Merchant: {
      transactions: (queries: Queries<Merchant, { first: number }>, sources: Sources) =>
        Promise.all(queries.map(({ obj, params }) => sources.transactions(obj.id, params.first))),
      lines: (queries: Queries<Merchant, { first: number }>, sources: Sources) =>
        Promise.all(queries.map(({ obj, params }) => sources.lines(obj.id, params.first))),
    },
    Transaction: {
      merchant: (queries: Queries<Transaction>, sources: Sources) =>
        Promise.all(queries.map(({ obj }) => sources.merchant(obj.merchantId))),
    },
    Line: {
      transaction: (queries: Queries<Line>, sources: Sources) =>
        Promise.all(queries.map(({ obj }) => sources.transaction(obj.transactionId))),
      merchant: (queries: Queries<Line>, sources: Sources) =>
        Promise.all(queries.map(({ obj }) => sources.merchant(obj.merchantId))),
    },
  },
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`listening on ${url}`);
process.on('SIGTERM', () => process.exit(0));
