import './graphql/scalars.ts';
import './graphql/node.ts';
import './graphql/money.ts';
import './money-operation/error-codes.ts';
import './user/user.ts';
import './user/user-mutations.ts';
import './merchant/merchant.ts';
import './merchant/merchant-mutations.ts';
import './member/member.ts';
import './member/member-mutations.ts';
import './app/app.ts';
import './app/app-mutations.ts';
import './viewer/viewer.ts';
import './transaction/transaction.ts';
import './transaction/transaction-list.ts';
import './transaction/totals/transaction-totals.ts';
import './transaction/money/move-mutations.ts';
import './transaction/money/create-mutation.ts';
import './transaction/money/money-operation-query.ts';
import './transaction/money/operation-list.ts';
import './transaction/money/money-operation-query.ts';
import './line/line.ts';
import './line/line-list.ts';
import './line/report/balance-report.ts';
import './card/card.ts';
import './card/save-card.ts';
import './dispute/dispute.ts';
import './dispute/dispute-list.ts';
import './fraud-alert/fraud-alert.ts';
import './payment-link/payment-link.ts';
import { type GraphQLSchema, specifiedDirectives } from 'graphql';
import type { Context } from './context.ts';
import { builder } from './graphql/builder.ts';
import { semanticNonNullDirective } from './graphql/semantic-non-null.ts';

/** The complete schema. Every import above adds a part to it. */
export const schema: GraphQLSchema = noteErrors(
  builder.toSchema({ directives: [...specifiedDirectives, semanticNonNullDirective] }),
);

/** What a mutation returns: its success type, or a typed error. */
type Result = { readonly __typename?: string; readonly code?: string } | null | undefined;

/**
 * Lets every mutation note the code of a typed error that it returns. For clients, these errors
 * are data; for operators, they are errors like the others.
 */
function noteErrors(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = async (root, args, context: Context, info) => {
      // What the resolvers of mutations return.
      const result = (await resolve(root, args, context, info)) as Result;
      if (result?.code !== undefined && result.__typename?.endsWith('Error')) {
        context.noteErrorCode(result.code);
      }
      return result;
    };
  }
  return schema;
}
