import { builder } from '../graphql/builder.ts';
import { MoneyInput, MoneyRef } from '../graphql/money.ts';
import { MutationErrorRef } from '../graphql/mutation-error.ts';
import { resultType } from '../graphql/result-type.ts';
import { toResult } from '../graphql/to-result.ts';
import { KEY_DESCRIPTION } from '../operation/idempotency-key.ts';
import { MoneyOperationRef } from '../operation/money-operation.ts';
import { type AmountTooLarge, type Moved, move } from './movement.ts';
import { OUTCOME_UNKNOWN_NOTE, OutcomeUnknownRef } from './outcome-unknown.ts';
import { entryOf } from './picture.ts';
import { CaptureTrailEntry, RefundTrailEntry, VoidTrailEntry } from './trail-entry.ts';
import { TransactionRef } from './transaction.ts';
import type { Movement } from './transaction-source.ts';

const AmountTooLargeRef = builder.objectRef<AmountTooLarge>('AmountTooLargeError').implement({
  description: 'More was asked for than is left. Nothing was done.',
  interfaces: [MutationErrorRef],
  fields: (t) => ({
    maximum: t.field({
      type: MoneyRef,
      description: 'What is left at most.',
      resolve: ({ maximum }) => maximum,
    }),
  }),
});

function success<const N extends string>(
  name: N,
  description: string,
  entry: typeof CaptureTrailEntry,
) {
  return builder.objectRef<Moved<N>>(name).implement({
    description,
    fields: (t) => ({
      operation: t.field({
        type: MoneyOperationRef,
        description: 'The operation, to be found again by its key.',
        resolve: (moved) => moved,
      }),
      transaction: t.field({
        type: TransactionRef,
        nullable: true,
        description: 'The transaction, read again. Null only if that failed; the money has moved.',
        resolve: ({ operation }, _args, { transactions }) =>
          transactions.load(operation.lane as string),
      }),
      trailEntry: t.field({
        type: entry,
        nullable: true,
        description: 'The entry that this added to the trail; null only if it could not be read.',
        resolve: async ({ operation }, _args, { transactions }) => {
          const now = await transactions.load(operation.lane as string);
          return now && entryOf(operation, now);
        },
      }),
    }),
  });
}

const describe = {
  transactionId: "The transaction: a node id, or the service's own id.",
  descriptor:
    "Text for the customer's bank statement, printable ASCII, up to 22 characters; the transaction's own when left out.",
};

function inputType(name: string, what: string, most: string, withDescriptor: boolean) {
  return builder.inputType(`${name}Input`, {
    description: `What to ${what}.`,
    fields: (t) => ({
      transactionId: t.id({ required: true, description: describe.transactionId }),
      amount: t.field({
        type: MoneyInput,
        required: true,
        description: `Up to ${most}, in the currency of the transaction.`,
      }),
      ...(withDescriptor ? { descriptor: t.string({ description: describe.descriptor }) } : {}),
      idempotencyKey: t.string({ required: true, description: KEY_DESCRIPTION }),
    }),
  });
}

/** Adds one of the three mutations to the graph. */
function movementMutation(
  movement: Movement,
  entry: typeof CaptureTrailEntry,
  words: { done: string; does: string; most: string },
): void {
  const field = `${movement}Transaction`;
  const name = `${movement.charAt(0).toUpperCase()}${field.slice(1)}`;
  const input = inputType(name, movement, words.most, movement !== 'void');
  const done = success(`${name}Success`, words.done, entry);
  const type = resultType(name, done, [AmountTooLargeRef, OutcomeUnknownRef], OUTCOME_UNKNOWN_NOTE);
  builder.mutationField(field, (t) =>
    t.field({
      type,
      nullable: true,
      description: words.does,
      args: {
        input: t.arg({
          type: input,
          required: true,
          description: 'Which transaction, how much, and the idempotency key.',
        }),
      },
      resolve: (_root, args, context) =>
        toResult(move(`${name}Success`, movement, args.input, context)),
    }),
  );
}

movementMutation('capture', CaptureTrailEntry, {
  done: 'The money was captured.',
  does: 'Takes reserved money, all of it or a part, once for each key; the rest stays reserved.',
  most: '`pendingAmount`',
});
movementMutation('refund', RefundTrailEntry, {
  done: 'The money was given back.',
  does: 'Gives captured money back, all of it or a part, once for each key.',
  most: 'what was captured and not yet refunded',
});
movementMutation('void', VoidTrailEntry, {
  done: 'The reservation was let go.',
  does: 'Lets reserved money go without capture, all of it or a part, once for each key.',
  most: '`pendingAmount`',
});
