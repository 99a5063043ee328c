import { builder } from '../graphql/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../graphql/connection.ts';
import { implementNode, NodeRef } from '../graphql/node.ts';
import { readId } from '../graphql/node-id.ts';
import { semanticNonNull } from '../graphql/semantic-non-null.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { readInstant, readInstantOrNull, readIntegerOrNull, readText } from '../rest/record.ts';
import { TransactionRef } from '../transaction/transaction.ts';
import type { FraudAlert } from './fraud-alert-source.ts';

const FraudReason = builder.enumType('FraudReason', {
  description: 'Why a payment was reported as fraud.',
  values: {
    MISC: { description: 'None of the others.' },
    FRAUDULENT_USAGE: { description: 'The card was used by somebody else.' },
    FRAUDULENT_APPLICATION: { description: 'The card was applied for in a false name.' },
    COUNTERFEIT: { description: 'The card was copied.' },
    ACCOUNT_TAKEOVER: { description: "Somebody else took over the cardholder's account." },
    CARD_NOT_DELIVERED: { description: 'The card was caught on its way to the cardholder.' },
    CARD_STOLEN: { description: 'The card was stolen.' },
    CARD_LOST: { description: 'The card was lost.' },
    CARDHOLDER_MANIPULATED: { description: 'The cardholder was talked into it.' },
    OTHER: { description: 'A code that this gateway does not know; see `reasonCode`.' },
  },
});

type FraudReasonName = typeof FraudReason.$inferType;

/** By the service's codes. Specification: payments, "Fraud reason codes". */
const reasons: readonly FraudReasonName[] = [
  'MISC',
  'FRAUDULENT_USAGE',
  'FRAUDULENT_APPLICATION',
  'COUNTERFEIT',
  'ACCOUNT_TAKEOVER',
  'CARD_NOT_DELIVERED',
  'CARD_STOLEN',
  'CARD_LOST',
  'CARDHOLDER_MANIPULATED',
];

/** A report that a payment was fraud. */
const FraudAlertRef = builder.objectRef<FraudAlert>('FraudAlert').implement({
  description:
    "A report by the cardholder's bank that a payment was fraud. A dispute may follow; refunding in time avoids it.",
  interfaces: [NodeRef],
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      ...semanticNonNull,
      description: 'The merchant that was paid.',
      resolve: async (alert, _args, { fraudAlerts, merchants }) =>
        merchants.load(await fraudAlerts.read(alert, (record) => readText(record, 'merchantId'))),
    }),
    transaction: t.field({
      type: TransactionRef,
      ...semanticNonNull,
      description: 'The payment it is about.',
      resolve: async (alert, _args, { fraudAlerts, transactions }) =>
        transactions.load(
          await fraudAlerts.read(alert, (record) => readText(record, 'transactionId')),
        ),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was filed.',
      resolve: (alert, _args, { fraudAlerts }) =>
        fraudAlerts.read(alert, (record) => readInstant(record, 'created')),
    }),
    reportedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the cardholder reported it; null when the service does not tell.',
      resolve: (alert) => readInstantOrNull(alert, 'reported'),
    }),
    reason: t.field({
      type: FraudReason,
      nullable: true,
      description: 'Why it was reported; null when the service does not tell.',
      resolve: (alert) => {
        const code = readIntegerOrNull(alert, 'reason');
        return code === null ? null : (reasons[code] ?? 'OTHER');
      },
    }),
    reasonCode: t.int({
      nullable: true,
      description: "The service's number for the reason; tells what `OTHER` is.",
      resolve: (alert) => readIntegerOrNull(alert, 'reason'),
    }),
  }),
});

implementNode(FraudAlertRef, 'frd', (id, { fraudAlerts }) => fraudAlerts.load(id));

const FraudAlertConnection = connectionType('FraudAlert', FraudAlertRef);

builder.queryField('fraudAlert', (t) =>
  t.field({
    type: FraudAlertRef,
    nullable: true,
    description: 'One fraud alert; null when there is none.',
    args: { id: t.arg.id({ required: true, description: "A node id, or the service's own id." }) },
    resolve: (_root, { id }, { fraudAlerts }) => fraudAlerts.load(readId('frd', id)),
  }),
);

builder.objectField(MerchantRef, 'fraudAlerts', (t) =>
  t.field({
    type: FraudAlertConnection,
    ...semanticNonNull,
    description: 'Fraud alerts on payments to the merchant, newest first.',
    args: {
      ...pagingArgs(t.arg),
      transactionId: t.arg.id({
        description: "Only those about this transaction: a node id, or the service's own id.",
      }),
    },
    resolve: (merchant, args, { fraudAlerts }, info) => {
      const { transactionId } = args;
      const id = transactionId ? readId('txn', transactionId, 'transactionId') : undefined;
      return resolvePage(args, info, {
        kind: 'frd',
        fetch: (request) => fraudAlerts.list(merchant.id, id, request),
      });
    },
  }),
);

builder.objectField(TransactionRef, 'fraudAlerts', (t) =>
  t.field({
    type: FraudAlertConnection,
    ...semanticNonNull,
    description: 'Fraud alerts about this transaction, newest first.',
    args: pagingArgs(t.arg),
    resolve: async (transaction, args, { fraudAlerts, transactions }, info) => {
      const merchantId = await transactions.read(transaction, (record) =>
        readText(record, 'merchantId'),
      );
      return resolvePage(args, info, {
        kind: 'frd',
        fetch: (request) => fraudAlerts.list(merchantId, transaction.id, request),
      });
    },
  }),
);
