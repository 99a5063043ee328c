import type { Context } from '../context.ts';
import { builder } from '../graphql/builder.ts';
import { type Money, MoneyInput, MoneyRef } from '../graphql/money.ts';
import {
  attempt,
  MutationErrorRef,
  type MutationFailure,
  refuse,
  resultType,
} from '../graphql/mutation.ts';
import { readId } from '../graphql/node-id.ts';
import { readText } from '../rest/record.ts';
import { RestError } from '../rest/rest-error.ts';
import { availableOf, readTrail, transactionMoney } from './trail.ts';
import { CaptureTrailEntry, RefundTrailEntry, VoidTrailEntry } from './trail-entry.ts';
import { TransactionRef } from './transaction.ts';
import type { Movement, Transaction } from './transaction-source.ts';

interface AmountTooLarge extends MutationFailure {
  readonly __typename: 'AmountTooLargeError';
  readonly maximum: Money;
}

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

interface Moved<N extends string> {
  readonly __typename: N;
  readonly movement: Movement;
  readonly amount: number;
  /** The transaction as it was just before. */
  readonly before: Transaction;
}

interface MovementInput {
  readonly transactionId: string;
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly descriptor?: string | null | undefined;
}

const blame = {
  minorUnits: ['input', 'amount', 'minorUnits'],
  currency: ['input', 'amount', 'currency'],
};
const paths = { amount: ['amount', 'minorUnits'], currency: ['amount', 'currency'] };

/**
 * Moves the money of a transaction. It is read first: the amount must be in its
 * currency and within what is left, and nobody who may not read it learns more.
 */
async function move<const N extends string>(
  __typename: N,
  movement: Movement,
  input: MovementInput,
  { transactions }: Context,
) {
  const id = readId('txn', input.transactionId, 'input.transactionId');
  const { minorUnits: amount, currency } = input.amount;
  if (amount <= 0) {
    return refuse('INVALID_INPUT', 'The amount must be greater than zero.', blame.minorUnits);
  }
  const before = await transactions.reload(id);
  if (before === null) {
    return refuse('NOT_FOUND', 'There is no such transaction.', ['input', 'transactionId']);
  }
  const own = readText(before, 'currency');
  if (currency !== own) {
    return refuse('CURRENCY_MISMATCH', `The transaction is in ${own}.`, blame.currency);
  }
  const tooLarge = tooMuch(before, movement, amount);
  if (tooLarge !== undefined) return tooLarge;
  try {
    const descriptor = input.descriptor ?? undefined;
    await transactions.move(id, movement, {
      amount,
      ...(movement === 'capture' ? { currency } : {}),
      ...(descriptor === undefined ? {} : { descriptor }),
    });
  } catch (error) {
    // It fitted when it was read; somebody else may have been faster.
    const faster = error instanceof RestError && (error.status === 400 || error.status === 409);
    const now = faster ? await transactions.reload(id) : null;
    const overtaken = now === null ? undefined : tooMuch(now, movement, amount);
    if (overtaken === undefined) throw error;
    return overtaken;
  }
  return { __typename, movement, amount, before };
}

function tooMuch(
  transaction: Transaction,
  movement: Movement,
  amount: number,
): AmountTooLarge | undefined {
  const left = availableOf(transaction)[movement];
  if (amount <= left) return undefined;
  const maximum = transactionMoney(transaction, left);
  return {
    __typename: 'AmountTooLargeError',
    code: 'AMOUNT_TOO_LARGE',
    message: `Can ${movement} at most ${maximum.minorUnits} (minor units of ${maximum.currency}).`,
    path: blame.minorUnits,
    maximum,
  };
}

/** The entry that a movement added: the first of its kind and amount that was not there before. */
async function addedEntry(moved: Moved<string>, { transactions }: Context) {
  const after = await transactions.load(moved.before.id);
  if (after === null) return null;
  const alike = (transaction: Transaction) =>
    readTrail(transaction).filter(
      ({ kind, raw }) => kind === moved.movement && raw.amount === moved.amount,
    );
  return alike(after).at(alike(moved.before).length) ?? null;
}

function success<const N extends string>(
  name: N,
  description: string,
  entry: typeof CaptureTrailEntry,
) {
  return builder.objectRef<Moved<N>>(name).implement({
    description,
    fields: (t) => ({
      transaction: t.field({
        type: TransactionRef,
        nullable: true,
        description: 'The transaction, read again. Null only if that failed; the money has moved.',
        resolve: ({ before }, _args, { transactions }) => transactions.load(before.id),
      }),
      trailEntry: t.field({
        type: entry,
        nullable: true,
        description: 'The entry that this added to the trail; null only if it could not be read.',
        resolve: (moved, _args, context) => addedEntry(moved, context),
      }),
    }),
  });
}

const describe = {
  transactionId: "The transaction: a node id, or the service's own id.",
  descriptor:
    "Text for the customer's bank statement, printable ASCII, up to 22 characters; the transaction's own when left out.",
};

const CaptureTransactionInput = builder.inputType('CaptureTransactionInput', {
  description: 'What to capture.',
  fields: (t) => ({
    transactionId: t.id({ required: true, description: describe.transactionId }),
    amount: t.field({
      type: MoneyInput,
      required: true,
      description: 'Up to `pendingAmount`, in the currency of the transaction.',
    }),
    descriptor: t.string({ description: describe.descriptor }),
  }),
});

const RefundTransactionInput = builder.inputType('RefundTransactionInput', {
  description: 'What to refund.',
  fields: (t) => ({
    transactionId: t.id({ required: true, description: describe.transactionId }),
    amount: t.field({
      type: MoneyInput,
      required: true,
      description:
        'Up to what was captured and not yet refunded, in the currency of the transaction.',
    }),
    descriptor: t.string({ description: describe.descriptor }),
  }),
});

const VoidTransactionInput = builder.inputType('VoidTransactionInput', {
  description: 'What to void.',
  fields: (t) => ({
    transactionId: t.id({ required: true, description: describe.transactionId }),
    amount: t.field({
      type: MoneyInput,
      required: true,
      description: 'Up to `pendingAmount`, in the currency of the transaction.',
    }),
  }),
});

const CaptureResult = resultType(
  'CaptureTransaction',
  success('CaptureTransactionSuccess', 'The money was captured.', CaptureTrailEntry),
  AmountTooLargeRef,
);
const RefundResult = resultType(
  'RefundTransaction',
  success('RefundTransactionSuccess', 'The money was given back.', RefundTrailEntry),
  AmountTooLargeRef,
);
const VoidResult = resultType(
  'VoidTransaction',
  success('VoidTransactionSuccess', 'The reservation was let go.', VoidTrailEntry),
  AmountTooLargeRef,
);

builder.mutationFields((t) => ({
  captureTransaction: t.field({
    type: CaptureResult,
    nullable: true,
    description: 'Takes reserved money, all of it or a part; the rest stays reserved.',
    args: {
      input: t.arg({ type: CaptureTransactionInput, required: true, description: 'What to do.' }),
    },
    resolve: (_root, { input }, context) =>
      attempt(move('CaptureTransactionSuccess', 'capture', input, context), paths),
  }),
  refundTransaction: t.field({
    type: RefundResult,
    nullable: true,
    description: 'Gives captured money back, all of it or a part.',
    args: {
      input: t.arg({ type: RefundTransactionInput, required: true, description: 'What to do.' }),
    },
    resolve: (_root, { input }, context) =>
      attempt(move('RefundTransactionSuccess', 'refund', input, context), paths),
  }),
  voidTransaction: t.field({
    type: VoidResult,
    nullable: true,
    description: 'Lets reserved money go without capture, all of it or a part.',
    args: {
      input: t.arg({ type: VoidTransactionInput, required: true, description: 'What to do.' }),
    },
    resolve: (_root, { input }, context) =>
      attempt(move('VoidTransactionSuccess', 'void', input, context), paths),
  }),
}));
