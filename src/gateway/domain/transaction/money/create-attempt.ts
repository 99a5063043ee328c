import { type MoneyErrorCode, moneyFailure, readAccess } from '../../../money/access.ts';
import type { Attempt } from '../../../money/attempt.ts';
import { checkAmount, checkKey, fingerprint } from '../../../money/engine/idempotency-key.ts';
import type { Rejection, ServiceResponse } from '../../../money/engine/operation.ts';
import { toPostResult } from '../../../money/engine/post-result.ts';
import type { Context } from '../../../schema/context.ts';
import { readId } from '../../../schema/node-id.ts';
import type {
  InputPaths,
  MutationFailure,
  RequestFailure,
} from '../../../schema/request-failure.ts';
import { isCertainJson, isObject } from '../../../upstream/record.ts';
import type { RestError } from '../../../upstream/rest-error.ts';
import type { ReportedOperation } from '../../money-operation/money-operation.ts';
import { type OutcomeUnknown, toOperationResult } from '../../money-operation/operation-result.ts';
import { type ProcessingError, toProcessingError } from '../processing-error.ts';
import { addTag, RESERVED, toDecline } from './find-created.ts';
import { createEffectFinder } from './find-effect.ts';
import { readCreated } from './read-response.ts';

/** A transaction that was created. */
export interface Created extends ReportedOperation {
  readonly __typename: 'CreateTransactionSuccess';
}

/** A payment that was declined. */
export interface ProcessingFailed extends MutationFailure<MoneyErrorCode>, ReportedOperation {
  readonly __typename: 'ProcessingFailedError';
  readonly processingError: ProcessingError;
}

/** Input of `createTransaction`. */
export interface CreateInput {
  readonly merchantId: string;
  readonly source: { readonly transactionId?: string; readonly cardId?: string };
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly statementDescriptor?: string | null | undefined;
  readonly custom?: unknown;
  readonly idempotencyKey: string;
}

/** Input paths of the fields that the service names in errors. */
const paths: InputPaths = {
  amount: ['amount', 'minorUnits'],
  currency: ['amount', 'currency'],
  transactionId: ['source', 'transactionId'],
  cardId: ['source', 'cardId'],
  descriptor: ['statementDescriptor'],
};

/**
 * Creates a transaction, at most once per idempotency key. The merchant is read first, with the caller's own
 * credential. The operation's id is sent in `custom`, so that the transaction can be found
 * even if the response is lost. There is never a second POST.
 */
export async function create(
  input: CreateInput,
  context: Context,
): Promise<Created | ProcessingFailed | OutcomeUnknown | RequestFailure> {
  const rawId = readId('mer', input.merchantId, 'input.merchantId');
  const source = readSource(input.source);
  const custom = readCustom(input.custom);
  const invalid =
    checkKey(input.idempotencyKey) ??
    checkAmount(input.amount.minorUnits) ??
    ('invalid' in custom ? custom.invalid : undefined);
  if (invalid !== undefined) return invalid;
  const read = context.merchants.readForMoney(rawId);
  const access = await readAccess(read, 'merchant', ['input', 'merchantId']);
  if ('__typename' in access) return access;
  const admitted = context.transactions.admitCreate(access.record.id, source).then(() => true);
  const denied = await readAccess(admitted, ...nameSource(source));
  if ('__typename' in denied) return denied;
  const wanted = { ...input, source, custom: 'custom' in custom ? custom.custom : undefined };
  const attempt = createAttempt(access.record.id, wanted, context);
  const verdict = await context.money.run(attempt, context.deadline);
  return toOperationResult(verdict, {
    succeeded: (done): Created => ({ __typename: 'CreateTransactionSuccess', ...done }),
    rejected: toProcessingFailed,
  });
}

type Source = { readonly cardId: string } | { readonly transactionId: string };

function readSource({ transactionId, cardId = '' }: CreateInput['source']): Source {
  return transactionId === undefined
    ? { cardId: readId('crd', cardId, 'input.source.cardId') }
    : { transactionId: readId('txn', transactionId, 'input.source.transactionId') };
}

function nameSource(source: Source): ['card' | 'transaction', string[]] {
  return 'cardId' in source
    ? ['card', ['input', 'source', 'cardId']]
    : ['transaction', ['input', 'source', 'transactionId']];
}

function readCustom(
  custom: unknown,
): { readonly custom: object | undefined } | { readonly invalid: RequestFailure } {
  const path = ['input', 'custom'];
  if (custom === undefined || custom === null) return { custom: undefined };
  if (!isObject(custom)) {
    return { invalid: moneyFailure('INVALID_INPUT', '`custom` must be an object.', path) };
  }
  if (!(RESERVED in custom) && isCertainJson(custom)) return { custom };
  const message =
    RESERVED in custom
      ? `\`custom\` must not have the reserved field \`${RESERVED}\`.`
      : '`custom` must not have integers beyond ±(2^53-1), or more than 500 levels. Send such a number as a string.';
  return { invalid: moneyFailure('INVALID_INPUT', message, path) };
}

interface Wanted extends Pick<CreateInput, 'amount' | 'statementDescriptor' | 'idempotencyKey'> {
  readonly source: Source;
  readonly custom: object | undefined;
}

function createAttempt(
  merchantId: string,
  { source, custom, ...wanted }: Wanted,
  { transactions }: Context,
): Attempt<RequestFailure> {
  const { minorUnits: amount, currency } = wanted.amount;
  const descriptor = wanted.statementDescriptor ?? undefined;
  const kind = 'CREATE';
  return {
    intent: {
      merchantId,
      key: wanted.idempotencyKey,
      kind,
      lockKey: null,
      transactionId: null,
      amount,
      currency,
      fingerprint: fingerprint({ kind, merchantId, source, amount, currency, descriptor, custom }),
    },
    invalid: undefined,
    takeSnapshot: async () => {
      const [newest] = await transactions.listForMoney(merchantId, { limit: 1 });
      return { snapshot: { newest: newest?.id ?? null } };
    },
    post: (operation) => {
      const request = {
        ...source,
        currency,
        amount,
        ...(descriptor === undefined ? {} : { descriptor }),
        custom: addTag(custom, operation.id),
      };
      const sent = transactions
        .create(merchantId, request, operation.id)
        .then((shown) => readCreated(operation, shown, transactions));
      return toPostResult(sent, paths, toDeclined);
    },
    ...createEffectFinder(transactions),
  };
}

/** A 400 with a `code` in its body is a processing error; one with a `field` is not. */
function toDeclined({
  status,
  body,
}: RestError): (ServiceResponse & { readonly kind: 'REJECTED' }) | undefined {
  const [raw] = Array.isArray(body) ? body : [body];
  if (status !== 400 || !isObject(raw) || raw.code === undefined) return undefined;
  const response = isObject(raw.response) ? raw.response : {};
  const transactionId = isObject(response.transaction) ? response.transaction.id : undefined;
  return {
    kind: 'REJECTED',
    rejection: toDecline(raw),
    conflict: false,
    ...(typeof transactionId === 'string' ? { transactionId } : {}),
  };
}

function toProcessingFailed(
  done: ReportedOperation,
  rejection: Rejection,
): ProcessingFailed | undefined {
  if (rejection.code !== 'PROCESSING_FAILED') return undefined;
  const { code, message } = rejection;
  const processingError = toProcessingError(rejection.processingError) ?? { raw: null };
  return { __typename: 'ProcessingFailedError', code, message, processingError, ...done };
}
