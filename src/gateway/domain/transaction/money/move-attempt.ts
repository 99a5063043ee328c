import { type MoneyErrorCode, moneyFailure, readAccess } from '../../../money/access.ts';
import type { Attempt } from '../../../money/attempt.ts';
import { checkAmount, checkKey, fingerprint } from '../../../money/engine/idempotency-key.ts';
import type { AmountRejection } from '../../../money/engine/operation.ts';
import { lockKeyOf, type MovementKind } from '../../../money/engine/operation.ts';
import { toPostResult } from '../../../money/engine/post-result.ts';
import type { Money } from '../../../schema/amount.ts';
import type { Context } from '../../../schema/context.ts';
import { readId } from '../../../schema/node-id.ts';
import type {
  InputPaths,
  MutationFailure,
  RequestFailure,
} from '../../../schema/request-failure.ts';
import { readString } from '../../../upstream/record.ts';
import { badResponse } from '../../../upstream/rest-error.ts';
import type { ReportedOperation } from '../../money-operation/money-operation.ts';
import { type OutcomeUnknown, toOperationResult } from '../../money-operation/operation-result.ts';
import type { Transaction } from '../transaction-source.ts';
import { createEffectFinder } from './find-effect.ts';
import { readMoved } from './read-response.ts';
import { checkAvailable, takeSnapshot } from './trail-snapshot.ts';

/** The amount is larger than the available amount. */
export interface AmountTooLarge extends MutationFailure<MoneyErrorCode> {
  readonly __typename: 'AmountTooLargeError';
  readonly maximum: Money;
}

/** A movement that succeeded. */
export interface Moved<N extends string> extends ReportedOperation {
  readonly __typename: N;
}

/** Input of `captureTransaction`, `refundTransaction` and `voidTransaction`. */
export interface MoveInput {
  readonly transactionId: string;
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly statementDescriptor?: string | null | undefined;
  readonly idempotencyKey: string;
}

/** Input paths of the fields that the service names in errors. */
const paths: InputPaths = {
  amount: ['amount', 'minorUnits'],
  currency: ['amount', 'currency'],
  descriptor: ['statementDescriptor'],
};
const AMOUNT_PATH = ['input', 'amount', 'minorUnits'];
const CURRENCY_PATH = ['input', 'amount', 'currency'];

const collections = { CAPTURE: 'captures', REFUND: 'refunds', VOID: 'voids' } as const;

/**
 * Moves the money of a transaction, at most once per idempotency key. The transaction is read first, with the
 * caller's own credential: a caller who may not read it learns nothing about its operations.
 */
export async function move<const N extends string>(
  __typename: N,
  kind: MovementKind,
  input: MoveInput,
  context: Context,
): Promise<Moved<N> | AmountTooLarge | OutcomeUnknown | RequestFailure> {
  const rawId = readId('txn', input.transactionId, 'input.transactionId');
  const invalid = checkKey(input.idempotencyKey) ?? checkAmount(input.amount.minorUnits);
  if (invalid !== undefined) return invalid;
  const read = context.transactions.freshToMove(rawId, collections[kind]);
  const access = await readAccess(read, 'transaction', ['input', 'transactionId']);
  if ('__typename' in access) return access;
  const attempt = createAttempt(rawId, kind, input, access.record, context);
  const verdict = await context.money.run(attempt, context.deadline);
  context.transactions.forget(rawId);
  return toOperationResult(verdict, {
    succeeded: (done): Moved<N> => ({ __typename, ...done }),
    rejected: (_done, rejection) =>
      rejection.code === 'AMOUNT_TOO_LARGE' ? amountTooLarge(rejection) : undefined,
  });
}

function createAttempt(
  transactionId: string,
  kind: MovementKind,
  input: MoveInput,
  transaction: Transaction,
  { transactions }: Context,
): Attempt<AmountTooLarge | RequestFailure> {
  const { minorUnits: amount, currency } = input.amount;
  const descriptor = input.statementDescriptor ?? undefined;
  return {
    intent: {
      merchantId: readString(transaction, 'merchantId'),
      key: input.idempotencyKey,
      kind,
      lockKey: lockKeyOf(transactionId, kind),
      transactionId,
      amount,
      currency,
      fingerprint: fingerprint({ kind, transactionId, amount, currency, descriptor }),
    },
    invalid: checkRequest(transaction, kind, input.amount),
    takeSnapshot: async () => {
      const now = await transactions.fresh(transactionId);
      if (now === null) throw badResponse('payments', 'GET');
      const invalid = checkRequest(now, kind, input.amount);
      return invalid === undefined ? { snapshot: takeSnapshot(now) } : { invalid };
    },
    post: (operation) => {
      const request = {
        amount,
        ...(kind === 'CAPTURE' ? { currency } : {}),
        ...(descriptor === undefined ? {} : { descriptor }),
      };
      const sent = transactions
        .move(transactionId, collections[kind], request, operation.id)
        .then((shown) => readMoved(operation, shown));
      return toPostResult(sent, paths);
    },
    ...createEffectFinder(transactions),
  };
}

/** Why the request is not valid for the transaction in its current state; undefined if it is. */
function checkRequest(
  transaction: Transaction,
  kind: MovementKind,
  { minorUnits, currency }: MoveInput['amount'],
): AmountTooLarge | RequestFailure | undefined {
  const own = readString(transaction, 'currency');
  if (currency !== own) {
    return moneyFailure('CURRENCY_MISMATCH', `The transaction is in ${own}.`, CURRENCY_PATH);
  }
  const rejection = checkAvailable(transaction, kind, minorUnits);
  return rejection === null ? undefined : amountTooLarge(rejection);
}

function amountTooLarge(rejection: AmountRejection): AmountTooLarge {
  return { __typename: 'AmountTooLargeError', path: AMOUNT_PATH, ...rejection };
}
