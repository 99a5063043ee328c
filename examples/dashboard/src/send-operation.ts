import { execute } from './gateway.ts';
import { graphql } from './gql/index.ts';
import { type Operation, readOperation, saveOperation } from './operations.ts';

graphql(`
  fragment Failure on MutationError {
    code message ... on OutcomeUnknownError { operation { status advice evidence } }
  }
`);

const Capture = graphql(`mutation Capture($input: CaptureTransactionInput!) {
  result: captureTransaction(input: $input) { __typename ...Failure }
}`);
const Refund = graphql(`mutation Refund($input: RefundTransactionInput!) {
  result: refundTransaction(input: $input) { __typename ...Failure }
}`);
const Void = graphql(`mutation Void($input: VoidTransactionInput!) {
  result: voidTransaction(input: $input) { __typename ...Failure }
}`);

/** The codes after which the operation was not applied, and never will be. */
const REJECTED =
  /^(AMOUNT_TOO_LARGE|CONFLICT|CURRENCY_MISMATCH|INVALID_INPUT|PROCESSING_FAILED|UPSTREAM_REJECTED)$/;

/** Sends a stored operation, for the first time or again. The key is the same each time. */
export async function sendOperation(idempotencyKey: string): Promise<void> {
  // If another tab is sending it, its answer is as good.
  await navigator.locks.request(idempotencyKey, { ifAvailable: true }, async (lock) => {
    const operation = readOperation(idempotencyKey);
    if (lock === null || operation?.status !== 'OPEN') return;
    saveOperation({ ...operation, mayHaveMoved: true });
    saveOperation({ ...operation, ...(await send(operation)) });
  });
}

/** What the answer says about the operation, by the table "What to do" in docs/money.md. */
async function send(operation: Operation): Promise<Partial<Operation>> {
  const { data, errors = [] } = await post(operation);
  const result = data?.result;
  if (!result) {
    const message = errors.map((error) => error.message).join(' ');
    return { mayHaveMoved: true, advice: 'RETRY_SAME_KEY', message };
  }
  // Errors beside a success concern fields that could not be read after the change.
  if (!('code' in result)) return { status: 'SUCCEEDED', advice: null, message: '' };
  const { code, message } = result;
  if (REJECTED.test(code)) return { status: 'FAILED', advice: null, message };
  // Sent later, it would be what nobody wants any more.
  if (code === 'TRANSACTION_BUSY' && !operation.mayHaveMoved) return { status: 'FAILED', message };
  // This request moved no money, but an earlier one may have.
  if (!('operation' in result)) return { advice: 'RETRY_SAME_KEY', message };
  const { status, advice, evidence } = result.operation;
  if (status !== 'NOT_APPLIED') return { mayHaveMoved: true, advice, message };
  const warning = evidence === 'PRESUMED' ? ' This is a presumption: check the payment first.' : '';
  return { status: 'FAILED', advice, message: message + warning };
}

function post({ kind, idempotencyKey, transactionId, amount }: Operation) {
  const { minorUnits, currency } = amount;
  const input = { idempotencyKey, transactionId, amount: { minorUnits, currency } };
  if (kind === 'CAPTURE') return execute(Capture, { input });
  return kind === 'REFUND' ? execute(Refund, { input }) : execute(Void, { input });
}
