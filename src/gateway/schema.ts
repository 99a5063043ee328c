import './schema/scalars.ts';
import './schema/node.ts';
import './schema/money.ts';
import './domain/money-operation/money-operation.ts';
import './domain/user/user.ts';
import './domain/user/user-mutations.ts';
import './domain/merchant/merchant.ts';
import './domain/merchant/merchant-mutations.ts';
import './domain/merchant/merchant-replica.ts';
import './domain/member/member.ts';
import './domain/member/same-address.ts';
import './domain/member/member-mutations.ts';
import './domain/app/app.ts';
import './domain/app/app-mutations.ts';
import './domain/viewer/viewer.ts';
import './domain/transaction/transaction.ts';
import './domain/transaction/transaction-list.ts';
import './domain/transaction/totals/transaction-totals.ts';
import './domain/transaction/money/move-mutations.ts';
import './domain/transaction/money/create-mutation.ts';
import './domain/transaction/money/money-operation-query.ts';
import './domain/transaction/money/operation-list.ts';
import './domain/transaction/money/money-operation-query.ts';
import './domain/line/line.ts';
import './domain/line/line-list.ts';
import './domain/line/report/balance-report.ts';
import './domain/card/card.ts';
import './domain/card/card.ts';
import './domain/dispute/dispute.ts';
import './domain/dispute/dispute-list.ts';
import './domain/fraud-alert/fraud-alert.ts';
import './domain/payment-link/payment-link.ts';
import './domain/search/search-results.ts';
import './domain/event/event.ts';
import './domain/event/event-operation.ts';
import './domain/event/event-list.ts';
import './domain/event/event-subscription.ts';
import './domain/webhook/webhook-endpoint.ts';
import './domain/webhook/webhook-mutations.ts';
import { type GraphQLSchema, specifiedDirectives } from 'graphql';
import { builder } from './schema/builder.ts';
import type { Context } from './schema/context.ts';
import { semanticNonNullDirective } from './schema/semantic-non-null.ts';

/** The complete schema. Every import above adds a part to it. */
export const schema: GraphQLSchema = noteErrors(
  builder.toSchema({ directives: [...specifiedDirectives, semanticNonNullDirective] }),
);

/** What a mutation returns: its success type, or a typed error. */
type Result = { readonly __typename?: string; readonly code?: string } | null | undefined;

/**
 * Makes every mutation note the code of a typed error that it returns. To clients, these errors are
 * data; to operators, they are errors like any other.
 */
function noteErrors(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = async (root, args, context: Context, info) => {
      // All resolvers of mutations return this.
      const result = (await resolve(root, args, context, info)) as Result;
      if (result?.code !== undefined && result.__typename?.endsWith('Error')) {
        context.noteErrorCode(result.code);
      }
      return result;
    };
  }
  return schema;
}
