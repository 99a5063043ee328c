import type { Answer, Ask } from '../../support/ask.ts';
import { newKey } from '../../support/new-key.ts';

/** The ways to move the money of a transaction. */
export const movements = ['capture', 'refund', 'void'] as const;

/** A way to move the money of a transaction. */
export type Movement = (typeof movements)[number];

/** The mutations that move money. */
export type MoneyMutation = Movement | 'create';

/** Input of the mutation of a movement. */
export interface MovementInput {
  readonly transactionId: string;
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly idempotencyKey: string;
}

/** Input that moves euro cents of a transaction, with a new idempotency key unless one is given. */
export function movementInput(
  transactionId: string,
  minorUnits: number,
  idempotencyKey: string = newKey(),
): MovementInput {
  return { transactionId, amount: { minorUnits, currency: 'EUR' }, idempotencyKey };
}

/**
 * Sends a money mutation; its result is `data.result`. What the result says of the operation,
 * including whether it was replayed, is in one object.
 */
export async function sendMutation(
  ask: Ask,
  mutation: MoneyMutation,
  input: object,
  key?: string,
): Promise<Answer> {
  const answer = await ask(documentOf(mutation), { input }, key);
  const result = answer.data?.result;
  if (result?.replayed === undefined) return answer;
  const { replayed, operation, ...rest } = result;
  return { ...answer, data: { result: { ...rest, operation: { ...operation, replayed } } } };
}

/** Sends a money mutation and returns its result. Throws if the answer has top-level errors. */
export async function submit(
  ask: Ask,
  mutation: MoneyMutation,
  input: object,
  key?: string,
): Promise<Answer['data']> {
  const { data, errors } = await sendMutation(ask, mutation, input, key);
  if (errors !== undefined) throw new Error(errors[0]?.message);
  return data.result;
}

const OPERATION =
  '{ idempotencyKey kind amount { minorUnits currency } status evidence advice createdAt resolvedAt }';
const CREATED = 'transaction { id rawId custom }';
const DECLINED = `... on ProcessingFailedError {
  processingError { code message raw } transaction { rawId successful } replayed operation ${OPERATION}
}`;
const MOVED = `
  transaction { rawId capturedAmount { minorUnits } pendingAmount { minorUnits } }
  trailEntry { createdAt amount { minorUnits } line { id } }`;
const TOO_LARGE = '... on AmountTooLargeError { maximum { minorUnits } }';

/** The document of a money mutation, with every member of its result. */
export function documentOf(mutation: MoneyMutation): string {
  const name = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Transaction`;
  const [success, rejected] = mutation === 'create' ? [CREATED, DECLINED] : [MOVED, TOO_LARGE];
  return `mutation ($input: ${name}Input!) { result: ${mutation}Transaction(input: $input) {
    __typename
    ... on ${name}Success { replayed operation ${OPERATION} ${success} }
    ... on OutcomeUnknownError { replayed operation ${OPERATION} transaction { rawId } }
    ... on RequestError { details { path message } }
    ... on MutationError { code message path }
    ${rejected}
  } }`;
}

/** Looks up an operation by its key; it is `data.moneyOperation`. */
export function queryOperation(
  ask: Ask,
  merchantId: string,
  idempotencyKey: string,
  key?: string,
): Promise<Answer> {
  return ask(
    `query ($merchantId: ID!, $idempotencyKey: String!) {
      moneyOperation(merchantId: $merchantId, idempotencyKey: $idempotencyKey) ${OPERATION}
    }`,
    { merchantId, idempotencyKey },
    key,
  );
}

/** Looks up an operation by its key; null if there is none. Throws if the answer has errors. */
export async function findOperation(
  ask: Ask,
  merchantId: string,
  idempotencyKey: string,
): Promise<Answer['data']> {
  const { data, errors } = await queryOperation(ask, merchantId, idempotencyKey);
  if (errors !== undefined) throw new Error(errors[0]?.message);
  return data.moneyOperation;
}
