import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSchema, createYoga } from 'graphql-yoga';

/** A review of a payment by a person. */
export interface Review {
  readonly text: string;
  /** Node id of a transaction of Tillgraph. */
  readonly transactionId: string;
  /** Node id of a user of Tillgraph. */
  readonly authorId: string;
}

/**
 * The schema of another team's subgraph: reviews of payments by users. It extends two types
 * of Tillgraph and defines `Money` and `PageInfo` too, as other subgraphs do.
 */
export const REVIEWS_SDL = /* GraphQL */ `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])

  type Query {
    reviews: [Review!]!
  }

  type Review {
    text: String!
    transaction: Transaction!
    author: User!
    bounty: Money!
    page: PageInfo!
  }

  type Transaction @key(fields: "id") {
    id: ID!
    reviews: [Review!]!
  }

  type User @key(fields: "id") {
    id: ID!
    reviews: [Review!]!
  }

  type Money @shareable {
    currency: CurrencyCode!
    decimal: String
    exponent: Int
    minorUnits: MinorUnits!
  }

  type PageInfo @shareable {
    endCursor: String
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
  }

  scalar CurrencyCode
  scalar MinorUnits
`;

const executable = `${REVIEWS_SDL.replace(/extend schema[^)]*\)/, '').replace(/@(key\([^)]*\)|shareable)/g, '')}
  scalar _Any
  union _Entity = Transaction | User
  type _Service { sdl: String! }
  extend type Query {
    _entities(representations: [_Any!]!): [_Entity]!
    _service: _Service!
  }
`;

/** Serves the reviews as a subgraph on a free port. */
export async function startReviews(reviews: readonly Review[]) {
  const yoga = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: executable,
      resolvers: {
        Query: {
          reviews: () => reviews,
          _service: () => ({ sdl: REVIEWS_SDL }),
          _entities: (_root, { representations }) => representations,
        },
        _Entity: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Review: {
          transaction: ({ transactionId }: Review) => ({ id: transactionId }),
          author: ({ authorId }: Review) => ({ id: authorId }),
          bounty: () => ({ currency: 'EUR', decimal: '1.00', exponent: 2, minorUnits: 100 }),
          page: () => ({ hasNextPage: false, hasPreviousPage: false }),
        },
        Transaction: {
          reviews: ({ id }: { id: string }) => reviews.filter((one) => one.transactionId === id),
        },
        User: {
          reviews: ({ id }: { id: string }) => reviews.filter((one) => one.authorId === id),
        },
      },
    }),
  });
  return serve(yoga);
}

/** Serves a handler on a free port. */
export async function serve(handler: Parameters<typeof createServer>[1]) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
