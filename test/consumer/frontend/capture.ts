import type { Execute } from './execute.ts';
import type { CaptureMutation, MoneyInput } from './gql/graphql.ts';
import { graphql } from './gql/index.ts';
import { moneyText } from './money.ts';
import { type Outcome, refused, unanswered } from './outcome.ts';

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

/** What a capture answers, as far as this frontend knows. */
export type CaptureResult = NonNullable<CaptureMutation['captureTransaction']>;

/** Takes reserved money: once for each key, however often it is tried. */
export async function capture(
  execute: Execute,
  transactionId: string,
  amount: MoneyInput,
  idempotencyKey: string,
): Promise<Outcome> {
  const { data, errors } = await execute(Capture, {
    input: { transactionId, amount, idempotencyKey },
  });
  return data?.captureTransaction ? readCapture(data.captureTransaction) : unanswered(errors);
}

/** What each answer means. A new kind of answer does not compile until it has a case. */
export function readCapture(result: CaptureResult): Outcome {
  switch (result.__typename) {
    case 'CaptureTransactionSuccess':
      return { ended: 'done', moved: result.trailEntry && moneyText(result.trailEntry.amount) };
    case 'AmountTooLargeError':
      return { ended: 'too much', most: moneyText(result.maximum) };
    case 'OutcomeUnknownError':
      return { ended: 'unknown', advice: result.operation.advice };
    case 'RequestError':
      return refused(result);
    default:
      return readLaterError(result);
  }
}

/**
 * A page may be older than the gateway it speaks to. What it does not know is an error
 * all the same, and `... on MutationError` has brought its code and message.
 */
function readLaterError(error: never): Outcome {
  return refused(error);
}
