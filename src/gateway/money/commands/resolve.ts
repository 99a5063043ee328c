import { isMovement, type Movement, type OperationIn } from '../engine/operation.ts';
import { without } from '../engine/snapshot.ts';
import type { Settlement } from '../store/operation-store.ts';
import type { Resolve, Waive } from './command.ts';
import { describe, describeEntry } from './describe.ts';
import { findView, type Operator, OperatorError } from './operator.ts';
import {
  chooseEntry,
  chooseTransaction,
  readCandidates,
  readCreated,
  readTrail,
  type Sources,
} from './verify.ts';

/** What a read of the service shows about a decision. */
interface Check extends Pick<Settlement, 'entry' | 'proof' | 'verified'> {
  /** What was found, as a sentence. */
  readonly found: string;
}

/** Settles an operation. Returns what to print. */
export async function resolve(operator: Operator, command: Resolve): Promise<string> {
  const { store, by } = operator;
  const { applied, note } = command;
  const { operation } = await findView(store, command.id);
  const { id } = operation;
  if (operation.state !== 'UNKNOWN') {
    throw new OperatorError(
      `${id} is ${operation.state}, and only an UNKNOWN operation can be settled. Nothing was changed.`,
    );
  }
  const { found, ...check } = await checkDecision(operator, operation, command);
  const { epoch } = operation;
  const settled = await store.settle(id, { applied, note, by, epoch, ...check });
  if (settled === 'PROOF_TAKEN') {
    throw new OperatorError(
      `${check.entry?.line ?? check.proof ?? 'The entry'} already proves another operation. Nothing was changed.`,
    );
  }
  if (settled === undefined) {
    throw new OperatorError(`${id} has just changed. Nothing was changed. Repeat the command.`);
  }
  return `${describe(settled)} is ${settled.state}. ${found}`;
}

async function checkDecision(
  { store, reader }: Operator,
  operation: OperationIn<'UNKNOWN'>,
  command: Resolve,
): Promise<Check> {
  const { proof } = command;
  if (command.unverified) {
    return { found: UNVERIFIED, ...(proof === undefined ? {} : { proof }) };
  }
  if (reader === undefined) throw noKey();
  const sources = { reader, store };
  return command.applied
    ? findProof(sources, operation, proof)
    : expectNone(sources, operation, command.ignoreEntry);
}

/** Printed for a decision that the operator chose not to verify. */
const UNVERIFIED = 'Not verified: the service was not read.';

/** No decision can be verified without an app key. */
function noKey(): OperatorError {
  return new OperatorError(
    'MONEY_OPERATOR_API_KEY is not set, so the payments service cannot be read. Set it, or add --unverified to settle the operation without a check. Nothing was changed.',
  );
}

async function findProof(
  sources: Sources,
  operation: OperationIn<'UNKNOWN'>,
  proof: string | undefined,
): Promise<Check> {
  if (!isMovement(operation)) {
    const transactionId = await chooseTransaction(sources, operation, proof);
    const found = `Verified: transaction ${transactionId}.`;
    return { found, proof: transactionId, verified: true };
  }
  const shown = await chooseEntry(sources, operation, proof);
  const found = `Verified: ${describeEntry(shown, operation)}.`;
  return { found, entry: shown.entry, verified: true };
}

async function expectNone(
  sources: Sources,
  operation: OperationIn<'UNKNOWN'>,
  ignoreEntry: boolean,
): Promise<Check> {
  const { shown, isComplete } = await findShown(sources, operation);
  if (shown.length > 0 && !ignoreEntry) {
    throw new OperatorError(
      `This could be its effect. Nothing was changed. To settle it as not applied, add --ignore-entry.\n${shown.map((text) => `  ${text}`).join('\n')}`,
    );
  }
  if (shown.length > 0) return { found: `Not verified: this was ignored: ${shown.join('; ')}.` };
  return isComplete
    ? { found: 'Verified: the service shows no effect.', verified: true }
    : { found: 'Not verified: not every transaction since the operation could be searched.' };
}

/** What the service shows that could be the effect of the operation. */
async function findShown(sources: Sources, operation: OperationIn<'UNKNOWN'>) {
  if (isMovement(operation)) {
    const { entries } = await readCandidates(sources, operation);
    const shown = entries.map((entry) => describeEntry(entry, operation));
    return { shown, isComplete: true };
  }
  const { transactionId, isComplete } = await readCreated(sources, operation);
  const shown = transactionId === undefined ? [] : [`transaction ${transactionId}`];
  return { shown, isComplete };
}

type Succeeded = Movement & OperationIn<'SUCCEEDED'>;

/** Gives up waiting for the entry of an operation that succeeded. Returns what to print. */
export async function waive(operator: Operator, command: Waive): Promise<string> {
  const { store, by } = operator;
  const { note, unverified } = command;
  const { operation, waived: isWaived } = await findView(store, command.id);
  const { id } = operation;
  if (isWaived) throw new OperatorError(`The entry of ${id} was waived before.`);
  if (operation.state !== 'SUCCEEDED' || !isMovement(operation)) throw notWaived(id);
  const { verified, found } = await expectMissing(operator, operation, unverified);
  const waived = await store.waive(id, { note, by, verified });
  if (waived === undefined) throw notWaived(id);
  return `Other operations no longer wait for the entry of ${describe(waived)}. ${found}`;
}

function notWaived(id: string): OperatorError {
  return new OperatorError(
    `No operation waits for an entry of ${id}. Others wait only for that of a capture, refund or void that is SUCCEEDED and that the operator has not settled. Nothing was changed.`,
  );
}

async function expectMissing(
  { store, reader }: Operator,
  operation: Succeeded,
  unverified: boolean,
) {
  if (unverified) return { verified: false, found: UNVERIFIED };
  if (reader === undefined) throw noKey();
  const succeeded = await store.listSucceeded(operation);
  const own = succeeded.find(({ id }) => id === operation.id);
  const known = own?.entry ? [own.entry] : (own?.seen ?? []);
  const trail = await readTrail(reader, operation.transactionId);
  const shown = trail.map(({ entry }) => entry);
  if (known.length === 0 || without(known, shown).length > 0) {
    return { verified: true, found: 'Verified: the service does not show it.' };
  }
  throw new OperatorError(
    'The service shows its entry, so no operation waits for it. Nothing was changed.',
  );
}
