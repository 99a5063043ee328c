import type { Execute } from './execute.ts';
import type { MoneyInput } from './gql/graphql.ts';
import { graphql } from './gql/index.ts';
import { moneyText } from './money.ts';
import { failWithoutResult, type Outcome, toOutcome } from './outcome.ts';

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

/** Refunds captured money. All errors are handled the same way, so a new one changes nothing here. */
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
  if (!result) return failWithoutResult(errors);
  if (result.__typename !== 'RefundTransactionSuccess') return toOutcome(result);
  return { ended: 'done', moved: result.trailEntry && moneyText(result.trailEntry.amount) };
}
