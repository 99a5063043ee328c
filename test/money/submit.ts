import type { Answer, Ask } from '../support/start-stack.ts';

/** The four mutations that move money. */
export type MoneyMutation = 'capture' | 'refund' | 'void' | 'create';

const OPERATION =
  '{ idempotencyKey kind amount { minorUnits currency } status replayed evidence advice createdAt resolvedAt }';

/** Sends one money mutation and answers its result as the caller sees it. */
export async function submit(ask: Ask, mutation: MoneyMutation, input: object, key?: string) {
  const { data, errors } = await ask(documentOf(mutation), { input }, key);
  if (errors !== undefined) throw new Error(errors[0]?.message);
  return data.result as Answer['data'];
}

/** What {@link submit} sends. */
export function documentOf(mutation: MoneyMutation): string {
  const name = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Transaction`;
  const created =
    'transaction { id rawId custom } } ... on ProcessingFailedError { processingError { code message raw } transaction { rawId successful }';
  const moved =
    'transaction { rawId capturedAmount { minorUnits } pendingAmount { minorUnits } } trailEntry { createdAt amount { minorUnits } line { id } } } ... on AmountTooLargeError { maximum { minorUnits }';
  const shown = mutation === 'create' ? created : moved;
  const declined =
    mutation === 'create' ? `... on ProcessingFailedError { operation ${OPERATION} }` : '';
  return `mutation ($input: ${name}Input!) { result: ${mutation}Transaction(input: $input) {
    __typename
    ... on ${name}Success { operation ${OPERATION} ${shown} }
    ... on OutcomeUnknownError { operation ${OPERATION} transaction { rawId } }
    ... on RequestError { details { path message } }
    ... on MutationError { code message path }
    ${declined}
  } }`;
}

/** The operation with this key at a merchant, through `Query.moneyOperation`. */
export function findOperation(ask: Ask, merchantId: string, idempotencyKey: string, key?: string) {
  return ask(
    `query ($merchantId: ID!, $idempotencyKey: String!) {
      moneyOperation(merchantId: $merchantId, idempotencyKey: $idempotencyKey) ${OPERATION}
    }`,
    { merchantId, idempotencyKey },
    key,
  );
}
