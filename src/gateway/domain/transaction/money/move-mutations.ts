import { KEY_DESCRIPTION } from '../../../money/engine/idempotency-key.ts';
import type { MovementKind } from '../../../money/engine/operation.ts';
import { builder } from '../../../schema/builder.ts';
import { MoneyInput, MoneyRef } from '../../../schema/money.ts';
import { MutationErrorRef, movesMoney, resultType } from '../../../schema/mutation-error.ts';
import { toResult } from '../../../schema/to-result.ts';
import { operationFields } from '../../money-operation/money-operation.ts';
import { CaptureTrailEntry, RefundTrailEntry, VoidTrailEntry } from '../trail-entry.ts';
import { TransactionRef } from '../transaction.ts';
import { type AmountTooLarge, type Moved, move } from './move-attempt.ts';
import {
  OUTCOME_UNKNOWN_NOTE,
  OutcomeUnknownRef,
  operationTransaction,
} from './outcome-unknown.ts';
import { entryOf } from './trail-snapshot.ts';

const AmountTooLargeRef = builder.objectRef<AmountTooLarge>('AmountTooLargeError').implement({
  description:
    'The amount is larger than the available amount. This request sent nothing, or the service rejected it.',
  interfaces: [MutationErrorRef],
  fields: (t) => ({
    maximum: t.field({
      type: MoneyRef,
      description:
        'The largest amount that you can capture, refund or void, in the currency of the transaction.',
      resolve: ({ maximum }) => maximum,
    }),
  }),
});

function successType<const N extends string>(
  name: N,
  description: string,
  entry: typeof CaptureTrailEntry,
) {
  const type = builder.objectRef<Moved<N>>(name).implement({
    description,
    fields: (t) => ({
      transaction: t.field({
        type: TransactionRef,
        nullable: true,
        description:
          'The transaction after the change. Null only if it could not be read afterwards; the change itself succeeded.',
        resolve: operationTransaction,
      }),
      trailEntry: t.field({
        type: entry,
        nullable: true,
        description:
          'The trail entry that was added. Null only if the transaction could not be read afterwards, or if it is not certain which entry the operation added.',
        resolve: async (moved, args, context) => {
          const transaction = await operationTransaction(moved, args, context);
          return transaction && entryOf(moved.operation, transaction);
        },
      }),
    }),
  });
  operationFields(type);
  return type;
}

const TRANSACTION_ID = 'The transaction: a node id or a `rawId`.';
const DESCRIPTOR =
  "Text for the customer's bank statement, printable ASCII, up to 22 characters. Defaults to the statement descriptor of the transaction.";

function inputType(name: string, verb: string, maximum: string, withDescriptor: boolean) {
  return builder.inputType(`${name}Input`, {
    description: `What to ${verb}.`,
    fields: (t) => ({
      transactionId: t.id({ required: true, description: TRANSACTION_ID }),
      amount: t.field({
        type: MoneyInput,
        required: true,
        description: `The amount to ${verb}, in the currency of the transaction: at most ${maximum}.`,
      }),
      ...(withDescriptor ? { statementDescriptor: t.string({ description: DESCRIPTOR }) } : {}),
      idempotencyKey: t.string({ required: true, description: KEY_DESCRIPTION }),
    }),
  });
}

interface Texts {
  readonly verb: 'capture' | 'refund' | 'void';
  /** Description of the success. */
  readonly success: string;
  /** Description of the mutation. */
  readonly mutation: string;
  /** What limits the amount. */
  readonly maximum: string;
}

/** Adds one of the three mutations to the schema. */
function addMoveMutation(
  kind: MovementKind,
  entry: typeof CaptureTrailEntry,
  { verb, success, mutation, maximum }: Texts,
): void {
  const field = `${verb}Transaction`;
  const name = `${verb.charAt(0).toUpperCase()}${field.slice(1)}`;
  const input = inputType(name, verb, maximum, kind !== 'VOID');
  const type = resultType(
    name,
    successType(`${name}Success`, success, entry),
    [AmountTooLargeRef, OutcomeUnknownRef],
    OUTCOME_UNKNOWN_NOTE,
  );
  builder.mutationField(field, (t) =>
    t.field({
      type,
      ...movesMoney,
      nullable: true,
      description: mutation,
      args: {
        input: t.arg({
          type: input,
          required: true,
          description: 'The transaction, the amount and the idempotency key.',
        }),
      },
      resolve: (_root, args, context) =>
        toResult(move(`${name}Success`, kind, args.input, context)),
    }),
  );
}

addMoveMutation('CAPTURE', CaptureTrailEntry, {
  verb: 'capture',
  success: 'The amount was captured.',
  mutation:
    'Captures a reserved amount in full or in part, at most once per idempotency key. The rest stays reserved.',
  maximum: '`pendingAmount`',
});
addMoveMutation('REFUND', RefundTrailEntry, {
  verb: 'refund',
  success: 'The amount was refunded.',
  mutation: 'Refunds a captured amount in full or in part, at most once per idempotency key.',
  maximum: 'the captured amount that is not yet refunded',
});
addMoveMutation('VOID', VoidTrailEntry, {
  verb: 'void',
  success: 'The reserved amount was released.',
  mutation:
    'Releases a reserved amount without capture, in full or in part, at most once per idempotency key.',
  maximum: '`pendingAmount`',
});
