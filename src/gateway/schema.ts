import { type GraphQLSchema, specifiedDirectives } from 'graphql';
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
import './transaction/money/operation-node.ts';
import './line/line.ts';
import './line/line-list.ts';
import './line/report/balance-report.ts';
import './card/card.ts';
import './card/save-card.ts';
import './dispute/dispute.ts';
import './dispute/dispute-list.ts';
import './fraud-alert/fraud-alert.ts';
import './payment-link/payment-link.ts';
import { builder } from './graphql/builder.ts';
import { noteErrors } from './graphql/note-errors.ts';
import { semanticNonNullDirective } from './graphql/semantic-non-null.ts';

/** The complete schema. Every import above adds a part to it. */
export const schema: GraphQLSchema = noteErrors(
  builder.toSchema({ directives: [...specifiedDirectives, semanticNonNullDirective] }),
);
