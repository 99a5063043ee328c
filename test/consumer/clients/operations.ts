import { graphql } from './gql';

export const Payments = graphql(`
  query Payments($merchantId: ID!, $after: String) {
    merchant(id: $merchantId) {
      id
      transactions(first: 10, after: $after) {
        edges {
          node { id createdAt pendingAmount { decimal currency } }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const Capture = graphql(`
  mutation Capture($input: CaptureTransactionInput!) {
    captureTransaction(input: $input) {
      __typename
      ... on CaptureTransactionSuccess {
        replayed
        transaction { id pendingAmount { decimal currency } }
      }
      ... on OutcomeUnknownError { operation { advice } }
      ... on MutationError { code message }
    }
  }
`);
