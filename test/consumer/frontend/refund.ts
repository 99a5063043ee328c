import type { Execute } from './execute.ts';
import type { MoneyInput } from './gql/graphql.ts';
import { graphql } from './gql/index.ts';
import { moneyText } from './money.ts';
import { type Outcome, refused, unanswered } from './outcome.ts';

const Refund = graphql(`
  mutation Refund($input: RefundTransactionInput!) {
    refundTransaction(input: $input) {
      __typename
      ... on RefundTransactionSuccess {
        trailEntry {
          amount {
            ...MoneyText
          }
        }
      }
      ... on MutationError {
        code
        message
      }
    }
  }
`);

/** Gives captured money back. Errors are all shown alike, so a new one changes nothing here. */
export async function refund(
  execute: Execute,
  transactionId: string,
  amount: MoneyInput,
  idempotencyKey: string,
): Promise<Outcome> {
  const { data, errors } = await execute(Refund, {
    input: { transactionId, amount, idempotencyKey },
  });
  const result = data?.refundTransaction;
  if (!result) return unanswered(errors);
  if (result.__typename !== 'RefundTransactionSuccess') return refused(result);
  return { ended: 'done', moved: result.trailEntry && moneyText(result.trailEntry.amount) };
}
