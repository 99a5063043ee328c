import type { Context } from '../context.ts';
import type { Money } from '../graphql/money.ts';
import { type MutationFailure, refuse } from '../graphql/mutation.ts';
import { readId } from '../graphql/node-id.ts';
import { readText } from '../rest/record.ts';
import { RestError } from '../rest/rest-error.ts';
import { availableOf, readTrail, transactionMoney } from './trail.ts';
import type { Movement, Transaction } from './transaction-source.ts';

/** More was asked for than is left. */
export interface AmountTooLarge extends MutationFailure {
  readonly __typename: 'AmountTooLargeError';
  readonly maximum: Money;
}

/** A movement that the service has made. */
export interface Moved<N extends string> {
  readonly __typename: N;
  readonly movement: Movement;
  readonly amount: number;
  /** The transaction as it was just before. */
  readonly before: Transaction;
}

/** What the caller asks for. */
export interface MovementInput {
  readonly transactionId: string;
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly descriptor?: string | null | undefined;
}

const blame = {
  minorUnits: ['input', 'amount', 'minorUnits'],
  currency: ['input', 'amount', 'currency'],
};
/** Where the service's fields stand in the input. */
export const paths = { amount: ['amount', 'minorUnits'], currency: ['amount', 'currency'] };

/**
 * Moves the money of a transaction. It is read first: the amount must be in its
 * currency and within what is left, and nobody who may not read it learns more.
 */
export async function move<const N extends string>(
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
    const now = faster ? await transactions.reload(id).catch(() => null) : null;
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
export async function addedEntry(moved: Moved<string>, { transactions }: Context) {
  const after = await transactions.load(moved.before.id);
  if (after === null) return null;
  const alike = (transaction: Transaction) =>
    readTrail(transaction).filter(
      ({ kind, raw }) => kind === moved.movement && raw.amount === moved.amount,
    );
  return alike(after).at(alike(moved.before).length) ?? null;
}
