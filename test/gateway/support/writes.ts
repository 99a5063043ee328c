import type { ServiceName } from '../../../src/gateway/upstream/rest-error.ts';
import type { Answer } from '../../support/ask.ts';

/** A mutation that sends one write. */
export interface Write {
  readonly name: string;
  readonly service: ServiceName;
  /** A creation is only known to have been made if the response shows the new record. */
  readonly kind: 'money' | 'change' | 'creation';
  /** `METHOD /path` of the write. */
  readonly call: string;
  /** What the mutation returns as `result`. */
  readonly mutation: string;
}

function write(
  service: ServiceName,
  kind: Write['kind'],
  call: string,
  name: string,
  input: string,
): Write {
  const unknown =
    kind === 'money' ? '... on OutcomeUnknownError { operation { status advice } }' : '';
  const selection = `{ __typename ... on MutationError { code message } ${unknown} }`;
  const mutation = `mutation { result: ${name}(input: { ${input} }) ${selection} }`;
  return { name, service, kind, call, mutation };
}

const money = (call: string, name: string, input: string) => {
  const amount = 'amount: { minorUnits: 1, currency: "EUR" }';
  const key = `idempotencyKey: "key-of-${name}"`;
  return write('payments', 'money', call, name, `${input}, ${amount}, ${key}`);
};
const fields = 'name: "Ada", email: "ada@example.com", address: "1 Street"';

/** Every mutation that moves money, every one of user records, and some others of payments. */
export const writes: readonly Write[] = [
  money('POST /transactions/t1/captures', 'captureTransaction', 'transactionId: "t1"'),
  money('POST /transactions/t1/refunds', 'refundTransaction', 'transactionId: "t1"'),
  money('POST /transactions/t1/voids', 'voidTransaction', 'transactionId: "t1"'),
  money(
    'POST /merchants/m1/transactions',
    'createTransaction',
    'merchantId: "m1", source: { transactionId: "t1" }',
  ),
  write('users', 'creation', 'POST /users', 'createUser', fields),
  write('users', 'change', 'PUT /users/u1', 'replaceUser', `userId: "u1", ${fields}`),
  write('users', 'change', 'PATCH /users/u1', 'updateUser', 'userId: "u1", name: "Ada"'),
  write('users', 'change', 'DELETE /users/u1', 'deleteUser', 'userId: "u1"'),
  write('payments', 'creation', 'POST /apps', 'createApp', ''),
  write('payments', 'change', 'PUT /merchants/m1', 'updateMerchant', 'merchantId: "m1", name: "x"'),
  write(
    'payments',
    'change',
    'POST /merchants/m1/users',
    'inviteMerchantMember',
    'merchantId: "m1", email: "ada@example.com"',
  ),
  write(
    'payments',
    'change',
    'DELETE /merchants/m1/apps/a2',
    'revokeMerchantApp',
    'merchantId: "m1", appId: "a2"',
  ),
];

/** What a client learns of a write. */
export type WriteVerdict =
  /** It was made, or a read shows that it was. */
  | 'APPLIED'
  /** It was made, but the response does not show the record that was created. */
  | 'APPLIED_UNSEEN'
  | 'UNKNOWN'
  /** It was not made. The codes are those of the typed errors. */
  | { readonly money: string; readonly other: string };

const OPEN = { status: 'UNKNOWN', advice: 'RETRY_SAME_KEY' };

/**
 * What an answer with this verdict contains.
 *
 * @param code of the error if the outcome of a write that moves no money is unknown
 */
export function expectedOf({ name, service, kind }: Write, verdict: WriteVerdict, code: string) {
  if (typeof verdict === 'object') {
    return { __typename: 'RequestError', code: kind === 'money' ? verdict.money : verdict.other };
  }
  const isUnseen = verdict === 'APPLIED_UNSEEN' && kind === 'creation';
  if (verdict !== 'UNKNOWN' && !isUnseen) {
    return { __typename: `${name.charAt(0).toUpperCase()}${name.slice(1)}Success` };
  }
  return kind === 'money'
    ? { __typename: 'OutcomeUnknownError', code: 'OUTCOME_UNKNOWN', ...OPEN }
    : { result: null, code, service, outcome: 'UNKNOWN', isExplained: true };
}

/** What an answer contains, in the same form. */
export function verdictOf({ data, errors }: Answer) {
  const [error] = errors ?? [];
  if (error !== undefined) {
    const isExplained = error.message.includes('The change may or may not have been made');
    return { ...data, ...error.extensions, isExplained };
  }
  const { message: _message, operation, ...result } = data.result;
  return { ...result, ...operation };
}
