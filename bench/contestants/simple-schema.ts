/** The graph of the contestants without a schema of their own: lists instead of connections. */
export const simpleSchema = `
  type Query { merchant(id: ID!): Merchant }
  type Mutation {
    captureTransaction(id: ID!, amount: Int!, currency: String!, key: String!): Transaction
  }
  type Merchant {
    id: ID!
    name: String
    transactions(first: Int!): [Transaction!]!
    lines(first: Int!): [Line!]!
  }
  type Transaction {
    id: ID!
    amount: Int!
    currency: String!
    capturedAmount: Int
    card: Card
    merchant: Merchant
  }
  type Card { last4: String }
  type Line { id: ID! transaction: Transaction merchant: Merchant }
`;
