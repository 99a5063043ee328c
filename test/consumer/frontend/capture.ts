import type { Execute } from './execute.ts';
import type { CaptureMutation, MoneyInput } from './gql/graphql.ts';
import { graphql } from './gql/index.ts';
import { moneyText } from './money.ts';
import { failWithoutResult, type Outcome, toOutcome } from './outcome.ts';

const Capture = graphql(`
  mutation Capture($input: CaptureTransactionInput!) {
    captureTransaction(input: $input) {
      __typename
      ... on CaptureTransactionSuccess {
        trailEntry {
          amount {
            ...MoneyText
          }
        }
      }
      ... on AmountTooLargeError {
        maximum {
          ...MoneyText
        }
      }
      ... on OutcomeUnknownError {
        operation {
          advice
        }
      }
      ... on MutationError {
        code
        message
      }
    }
  }
`);

/** The results of a capture that this frontend knows. */
export type CaptureResult = NonNullable<CaptureMutation['captureTransaction']>;

/** Captures reserved money. However often you call it with the same key, the money moves once. */
export async function capture(
  execute: Execute,
  transactionId: string,
  amount: MoneyInput,
  idempotencyKey: string,
): Promise<Outcome> {
  const { data, errors } = await execute(Capture, {
    input: { transactionId, amount, idempotencyKey },
  });
  return data?.captureTransaction
    ? readCapture(data.captureTransaction)
    : failWithoutResult(errors);
}

/** What each result means. This does not compile if the schema has a result without a case. */
export function readCapture(result: CaptureResult): Outcome {
  switch (result.__typename) {
    case 'CaptureTransactionSuccess':
      return { ended: 'done', moved: result.trailEntry && moneyText(result.trailEntry.amount) };
    case 'AmountTooLargeError':
      return { ended: 'too much', most: moneyText(result.maximum) };
    case 'OutcomeUnknownError':
      return { ended: 'unknown', advice: result.operation.advice };
    case 'RequestError':
      return toOutcome(result);
    default:
      return readNewerError(result);
  }
}

/**
 * This code can be older than the gateway. A type that it does not know is an error, and
 * `... on MutationError` has selected its code and message.
 */
function readNewerError(error: never): Outcome {
  return toOutcome(error);
}
