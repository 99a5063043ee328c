import type { Context } from '../context.ts';
import type { InputPaths } from '../graphql/input-failure.ts';
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
import type { PostResult } from '../operation/machine.ts';
import type { MoneyOperation } from '../operation/money-operation.ts';
import type { Refusal } from '../operation/operation.ts';
import { toPostResult } from '../operation/post-result.ts';
import { isObject } from '../rest/record.ts';
import type { RestError } from '../rest/rest-error.ts';
import { RESERVED, tagged, toDecline } from './created.ts';
import { lookFor } from './look.ts';
import { type ProcessingError, toProcessingError } from './processing-error.ts';

/** A transaction that was created. */
export interface Created extends MoneyOperation {
  readonly __typename: 'CreateTransactionSuccess';
}

/** A payment that the processor declined. */
export interface ProcessingFailed extends MutationFailure<MoneyErrorCode>, MoneyOperation {
  readonly __typename: 'ProcessingFailedError';
  readonly processingError: ProcessingError;
}

/** What the caller asks for. */
export interface CreateInput {
  readonly merchantId: string;
  readonly source: { readonly transactionId?: string; readonly cardId?: string };
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly descriptor?: string | null | undefined;
  readonly custom?: unknown;
  readonly idempotencyKey: string;
}

/** Where the service's fields stand in the input. */
const paths: InputPaths = {
  amount: ['amount', 'minorUnits'],
  currency: ['amount', 'currency'],
  transactionId: ['source', 'transactionId'],
  cardId: ['source', 'cardId'],
};

/**
 * Creates a transaction, once for each key. The merchant is read first, with the caller's
 * own credential. The operation's id travels inside `custom`, so that the transaction can
 * be found again whatever became of the answer; it is never posted twice.
 */
export async function create(
  input: CreateInput,
  context: Context,
): Promise<Created | ProcessingFailed | OutcomeUnknown | RequestFailure> {
  const named = readId('mer', input.merchantId, 'input.merchantId');
  const source = readSource(input.source);
  const invalid =
    refuseKey(input.idempotencyKey) ??
    refuseAmount(input.amount.minorUnits) ??
    refuseCustom(input.custom ?? undefined);
  if (invalid !== undefined) return invalid;
  const read = context.merchants.fresh(named);
  const access = await readAccess(read, 'merchant', ['input', 'merchantId']);
  if ('__typename' in access) return access;
  const verdict = await context.money.run(
    createAttempt(access.record.id, source, input, context),
    context.deadline,
  );
  return toAnswer(verdict, {
    succeeded: (done): Created => ({ __typename: 'CreateTransactionSuccess', ...done }),
    rejected: toProcessingFailed,
  });
}

function readSource({ transactionId, cardId = '' }: CreateInput['source']) {
  return transactionId === undefined
    ? { cardId: readId('crd', cardId, 'input.source.cardId') }
    : { transactionId: readId('txn', transactionId, 'input.source.transactionId') };
}

function refuseCustom(custom: unknown): RequestFailure | undefined {
  const path = ['input', 'custom'];
  if (custom !== undefined && !isObject(custom)) {
    return requestFailure('INVALID_INPUT', '`custom` must be an object.', path);
  }
  return custom !== undefined && RESERVED in custom
    ? requestFailure(
        'INVALID_INPUT',
        `\`custom\` must not have \`${RESERVED}\`: it is reserved.`,
        path,
      )
    : undefined;
}

function createAttempt(
  merchantId: string,
  source: ReturnType<typeof readSource>,
  input: CreateInput,
  { transactions }: Context,
): Attempt<RequestFailure> {
  const { minorUnits: amount, currency } = input.amount;
  const descriptor = input.descriptor ?? undefined;
  const custom = (input.custom ?? undefined) as object | undefined;
  const kind = 'CREATE';
  return {
    intent: {
      merchantId,
      key: input.idempotencyKey,
      kind,
      lane: null,
      amount,
      currency,
      fingerprint: fingerprint({ kind, merchantId, source, amount, currency, descriptor, custom }),
    },
    refusal: undefined,
    prepare: async () => {
      const [newest] = await transactions.list(merchantId, { limit: 1 }, undefined);
      return { before: { amount: 0, pendingAmount: 0, trail: [], newest: newest?.id ?? null } };
    },
    post: (operation) => {
      const request = {
        ...source,
        currency,
        amount,
        ...(descriptor === undefined ? {} : { descriptor }),
        custom: tagged(custom, operation.id),
      };
      const sent = transactions
        .create(merchantId, request, operation.id)
        .then((transactionId) => ({ transactionId }));
      return toPostResult(sent, paths, async (error) => toDeclined(error));
    },
    look: lookFor(transactions),
  };
}

/** A 400 whose body has a `code` is a processing error; one with a `field` is not. */
function toDeclined({ status, body }: RestError): PostResult | undefined {
  const [raw] = Array.isArray(body) ? body : [body];
  if (status !== 400 || !isObject(raw) || raw.code === undefined) return undefined;
  const response = isObject(raw.response) ? raw.response : {};
  const kept = isObject(response.transaction) ? response.transaction.id : undefined;
  return {
    kind: 'REFUSED',
    refusal: toDecline(raw),
    ...(typeof kept === 'string' ? { transactionId: kept } : {}),
  };
}

function toProcessingFailed(
  done: MoneyOperation,
  { code, message, details }: Refusal,
): ProcessingFailed | undefined {
  if (code !== 'PROCESSING_FAILED') return undefined;
  const processingError = toProcessingError(details) ?? { raw: null };
  return { __typename: 'ProcessingFailedError', code, message, processingError, ...done };
}
