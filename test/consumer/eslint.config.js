import graphql from '@graphql-eslint/eslint-plugin';

const { rules: recommended } = graphql.configs['flat/schema-recommended'];
const { rules: relay } = graphql.configs['flat/schema-relay'];

/** Where the schema differs from the presets, and why. */
const exceptions = {
  // A list of plain values, or of entries that the service returns in full, is not a
  // connection: there are no pages.
  '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false }],
  // Only nodes have an id. These types are results, parts of a list, or values of a node.
  '@graphql-eslint/strict-id-in-types': [
    'error',
    {
      exceptions: {
        suffixes: ['Success', 'Error', 'Connection', 'Edge', 'TrailEntry'],
        types: [
          'AvailableAction',
          'BalanceReport',
          'BalanceReportDay',
          'BalanceReportRow',
          'Bank',
          'Company',
          'Currency',
          'EventMessage',
          'Fee',
          'MerchantReplica',
          'Money',
          'MoneyOperation',
          'PageInfo',
          'PaymentCard',
          'SearchProgress',
          'SearchResults',
          'TransactionTotals',
          'TransactionTotalsGroup',
          'WebhookAttempt',
        ],
      },
    },
  ],
};

/** The public presets for schemas, applied to the printed schema. */
export default [
  {
    files: ['**/*.graphql'],
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: 'schema/schema.graphql' } },
    },
    plugins: { '@graphql-eslint': graphql },
    rules: { ...recommended, ...relay, ...exceptions },
  },
];
