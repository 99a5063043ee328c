import type { Context } from '../context.ts';
import type { InputPaths } from '../graphql/input-failure.ts';
import { type Money, toWords } from '../graphql/money.ts';
import {
  type MutationFailure,
  type RequestFailure,
  requestFailure,
} from '../graphql/mutation-error.ts';
import { readId } from '../graphql/node-id.ts';
import { readAccess } from '../operation/access.ts';
import { type OutcomeUnknown, toAnswer } from '../operation/answer.ts';
import type { Attempt } from '../operation/attempt.ts';
import type { MoneyErrorCode } from '../operation/error-codes.ts';
import { fingerprint, refuseAmount, refuseKey } from '../operation/idempotency-key.ts';
import type { MoneyOperation } from '../operation/money-operation.ts';
import type { Refusal } from '../operation/operation.ts';
import { toPostResult } from '../operation/post-result.ts';
import { readText } from '../rest/record.ts';
import { RestError } from '../rest/rest-error.ts';
import { lookFor } from './look.ts';
import { takePicture } from './picture.ts';
import { availableOf, transactionMoney } from './trail.ts';
import type { Movement, Transaction } from './transaction-source.ts';

/** More was asked for than is left. */
export interface AmountTooLarge extends MutationFailure<MoneyErrorCode> {
  readonly __typename: 'AmountTooLargeError';
  readonly maximum: Money;
}

/** A movement that was made. */
export interface Moved<N extends string> extends MoneyOperation {
  readonly __typename: N;
}

/** What the caller asks for. */
export interface MovementInput {
  readonly transactionId: string;
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly descriptor?: string | null | undefined;
  readonly idempotencyKey: string;
}

const blame = {
  minorUnits: ['input', 'amount', 'minorUnits'],
  currency: ['input', 'amount', 'currency'],
};
/** Where the service's fields stand in the input. */
const paths: InputPaths = { amount: ['amount', 'minorUnits'], currency: ['amount', 'currency'] };

const kinds = { capture: 'CAPTURE', refund: 'REFUND', void: 'VOID' } as const;

/**
 * Moves the money of a transaction, once for each key. The transaction is read first, with
 * the caller's own credential: who may not read it learns nothing, whatever the store knows.
 */
export async function move<const N extends string>(
  __typename: N,
  movement: Movement,
  input: MovementInput,
  context: Context,
): Promise<Moved<N> | AmountTooLarge | OutcomeUnknown | RequestFailure> {
  const named = readId('txn', input.transactionId, 'input.transactionId');
  const invalid = refuseKey(input.idempotencyKey) ?? refuseAmount(input.amount.minorUnits);
  if (invalid !== undefined) return invalid;
  const read = context.transactions.fresh(named);
  const access = await readAccess(read, 'transaction', ['input', 'transactionId']);
  if ('__typename' in access) return access;
  // The service may know a record by several names; the lane is the one that it uses itself.
  const { id } = access.record;
  const attempt = createAttempt(id, movement, input, access.record, context);
  const verdict = await context.money.run(attempt, context.deadline);
  context.transactions.forget(id);
  return toAnswer(verdict, {
    succeeded: (done): Moved<N> => ({ __typename, ...done }),
    rejected: (_done, refusal) => toAmountTooLarge(refusal),
  });
}

function createAttempt(
  id: string,
  movement: Movement,
  input: MovementInput,
  transaction: Transaction,
  { transactions }: Context,
): Attempt<AmountTooLarge | RequestFailure> {
  const { minorUnits: amount, currency } = input.amount;
  const descriptor = input.descriptor ?? undefined;
  const kind = kinds[movement];
  const judge = (now: Transaction) => {
    const own = readText(now, 'currency');
    if (currency === own) return tooMuch(now, movement, amount);
    return requestFailure<MoneyErrorCode>(
      'CURRENCY_MISMATCH',
      `The transaction is in ${own}.`,
      blame.currency,
    );
  };
  return {
    intent: {
      merchantId: readText(transaction, 'merchantId'),
      key: input.idempotencyKey,
      kind,
      lane: id,
      amount,
      currency,
      fingerprint: fingerprint({ kind, transactionId: id, amount, currency, descriptor }),
    },
    refusal: judge(transaction),
    prepare: async () => {
      const now = await transactions.fresh(id);
      if (now === null) throw new RestError('payments', 'GET', 'bad-response');
      const refusal = judge(now);
      return refusal === undefined ? { before: takePicture(now) } : { refusal };
    },
    post: (operation) => {
      const request = {
        amount,
        ...(movement === 'capture' ? { currency } : {}),
        ...(descriptor === undefined ? {} : { descriptor }),
      };
      const sent = transactions.move(id, movement, request, operation.id).then(() => ({}));
      return toPostResult(sent, paths, async ({ status }) => {
        // It fitted when it was read; somebody else may have been faster.
        const faster = status === 400 || status === 409;
        const now = faster ? await transactions.fresh(id).catch(() => null) : null;
        const overtaken = now === null ? undefined : tooMuch(now, movement, amount);
        return overtaken && { kind: 'REFUSED', refusal: toRefusal(overtaken) };
      });
    },
    look: lookFor(transactions),
  };
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
    message: `Can ${movement} at most ${toWords(maximum)}.`,
    path: blame.minorUnits,
    maximum,
  };
}

function toRefusal({ code, message, maximum }: AmountTooLarge): Refusal {
  return { code, message, details: maximum };
}

function toAmountTooLarge({ code, message, details }: Refusal): AmountTooLarge | undefined {
  if (code !== 'AMOUNT_TOO_LARGE') return undefined;
  const maximum = details as Money;
  return { __typename: 'AmountTooLargeError', code, message, path: blame.minorUnits, maximum };
}
