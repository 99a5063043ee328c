import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { readId } from '../../schema/node-id.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import {
  mustExist,
  readInstant,
  readInstantOrNull,
  readIntegerOrNull,
  readString,
} from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { TransactionRef } from '../transaction/transaction.ts';
import type { FraudAlert } from './fraud-alert-source.ts';

const FraudReason = builder.enumType('FraudReason', {
  description: 'Why a payment was reported as fraud.',
  values: {
    MISC: { description: 'The payments service reports the reason as miscellaneous.' },
    FRAUDULENT_USAGE: { description: 'Someone other than the cardholder used the card.' },
    FRAUDULENT_APPLICATION: { description: 'The application for the card was fraudulent.' },
    COUNTERFEIT: { description: 'The card was counterfeit.' },
    ACCOUNT_TAKEOVER: { description: "Someone else took over the cardholder's account." },
    CARD_NOT_DELIVERED: { description: 'The card was intercepted on its way to the cardholder.' },
    CARD_STOLEN: { description: 'The card was stolen.' },
    CARD_LOST: { description: 'The card was lost.' },
    CARDHOLDER_MANIPULATED: { description: 'The cardholder was manipulated into paying.' },
    OTHER: { description: 'A reason without a value in this enum. See `reasonCode`.' },
  },
});

type FraudReasonName = typeof FraudReason.$inferType;

/** The index is the service's code. Specification: payments, "Fraud reason codes". */
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

/** A report that a payment was fraudulent. */
export const FraudAlertRef = builder.objectRef<FraudAlert>('FraudAlert').implement({
  description:
    "A report by the cardholder's bank that a payment was fraudulent. A dispute may follow. An early refund can prevent the dispute.",
  interfaces: [NodeRef],
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      ...semanticNonNull,
      description: 'The merchant that received the payment.',
      resolve: async (alert, _args, { fraudAlerts, merchants }) => {
        const id = await fraudAlerts.read(alert, (record) => readString(record, 'merchantId'));
        return mustExist('payments', merchants.load(id));
      },
    }),
    transaction: t.field({
      type: TransactionRef,
      ...semanticNonNull,
      description: 'The reported transaction.',
      resolve: async (alert, _args, { fraudAlerts, transactions }) => {
        const id = await fraudAlerts.read(alert, (record) => readString(record, 'transactionId'));
        return mustExist('payments', transactions.load(id));
      },
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the alert was created.',
      resolve: (alert, _args, { fraudAlerts }) =>
        fraudAlerts.read(alert, (record) => readInstant(record, 'created')),
    }),
    reportedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the cardholder reported the fraud. Null if the alert has no such date.',
      resolve: (alert) => readInstantOrNull(alert, 'reported'),
    }),
    reason: t.field({
      type: FraudReason,
      nullable: true,
      description: 'Why the payment was reported as fraud. Null if the alert has no reason.',
      resolve: (alert) => {
        const code = readIntegerOrNull(alert, 'reason');
        return code === null ? null : (reasons[code] ?? 'OTHER');
      },
    }),
    reasonCode: t.int({
      nullable: true,
      description:
        'Reason code as the payments service returned it. It can be a code without a value in `FraudReason`. Null if the alert has no reason.',
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
    description: 'A fraud alert by its id. Null if it does not exist.',
    args: { id: t.arg.id({ required: true, description: 'A node id or a `rawId`.' }) },
    resolve: (_root, { id }, { fraudAlerts }) => fraudAlerts.load(readId('frd', id)),
  }),
);

builder.objectField(MerchantRef, 'fraudAlerts', (t) =>
  t.field({
    type: FraudAlertConnection,
    ...semanticNonNull,
    description: 'Fraud alerts about payments to the merchant, newest first.',
    args: {
      ...pagingArgs(t.arg),
      transactionId: t.arg.id({
        description: 'Return only alerts about this transaction: a node id or a `rawId`.',
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
        readString(record, 'merchantId'),
      );
      return resolvePage(args, info, {
        kind: 'frd',
        fetch: (request) => fraudAlerts.list(merchantId, transaction.id, request),
      });
    },
  }),
);
