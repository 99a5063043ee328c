import { RestError } from '../../upstream/rest-error.ts';
import type { Creation, Movement, Operation, OperationIn } from '../engine/operation.ts';
import { entriesLike, isSameEntry, newEntries, without } from '../engine/snapshot.ts';
import type { OperatorStore } from '../store/operation-store.ts';
import { describe, describeEntry } from './describe.ts';
import type { OperatorReader, ShownEntry } from './operator.ts';
import { OperatorError } from './operator.ts';

/** Reads the service and the claims of other operations. */
export interface Sources {
  readonly reader: OperatorReader;
  readonly store: OperatorStore;
}

/** Entries that may be a movement's, and the trail that they are in. */
interface Candidates {
  /** New entries of its kind and amount that no other operation has claimed. */
  readonly entries: readonly ShownEntry[];
  /** Those that are not known to be possible entries of other operations. */
  readonly unseen: readonly ShownEntry[];
  readonly claimed: readonly ShownEntry[];
  readonly trail: readonly ShownEntry[];
}

/** A movement for which a POST was sent. */
type SentMovement = Movement & Exclude<Operation, { readonly state: 'PREPARED' }>;

/** The trail of a transaction. Throws an {@link OperatorError} if it cannot be found. */
export async function readTrail(
  reader: OperatorReader,
  transactionId: string,
): Promise<readonly ShownEntry[]> {
  const trail = await readService(reader.readTrail(transactionId));
  if (trail === null) throw new OperatorError(`The app key finds no transaction ${transactionId}.`);
  return trail;
}

/** The entries of the transaction that may be a movement's. */
export async function readCandidates(
  { reader, store }: Sources,
  operation: SentMovement,
): Promise<Candidates> {
  const { transactionId, snapshot } = operation;
  const trail = await readTrail(reader, transactionId);
  const known = await store.knownEntries(transactionId);
  const added = newEntries(
    operation,
    snapshot,
    trail.map(({ entry }) => entry),
  );
  const unclaimed = without(added, known.claimed);
  const unseen = without(unclaimed, known.seen);
  const claimed = added.filter((entry) => !unclaimed.includes(entry));
  const show = (some: readonly unknown[]) => trail.filter(({ entry }) => some.includes(entry));
  return { entries: show(unclaimed), unseen: show(unseen), claimed: show(claimed), trail };
}

/** The entry that the operator means. Throws an {@link OperatorError} if no entry is possible. */
export async function chooseEntry(
  sources: Sources,
  operation: SentMovement,
  line: string | undefined,
): Promise<ShownEntry> {
  const candidates = await readCandidates(sources, operation);
  if (line !== undefined) return findLine(operation, candidates, line);
  const { entries, unseen } = candidates;
  const [only, another] = unseen.length === 1 ? unseen : entries;
  if (only === undefined) {
    throw new OperatorError(
      `The transaction shows no new ${describe(operation)} that belongs to no other operation. Nothing was changed.`,
    );
  }
  // Without lines, nothing distinguishes them, so it makes no difference which one it is.
  if (another === undefined || entries.every(({ entry }) => entry.line === null)) return only;
  const shown = entries.map((entry) => `  ${describeEntry(entry, operation)}`).join('\n');
  throw new OperatorError(
    `Several entries could be its effect. Give the line after --applied. Nothing was changed.\n${shown}`,
  );
}

function findLine(
  operation: SentMovement,
  { entries, claimed, trail }: Candidates,
  line: string,
): ShownEntry {
  const isLine = ({ entry }: ShownEntry) => entry.line === line;
  const own = entries.find(isLine);
  if (own !== undefined) return own;
  const found = trail.find(isLine);
  if (found === undefined) {
    throw new OperatorError(`The transaction has no entry with line ${line}. Nothing was changed.`);
  }
  const shown = `${describeEntry(found, operation)}:`;
  if (entriesLike(operation, [found.entry]).length === 0) {
    throw new OperatorError(
      `${shown} this is not a ${describe(operation)}, so it is not the operation's. Nothing was changed.`,
    );
  }
  const isOld = operation.snapshot.trail.some((entry) => isSameEntry(entry, found.entry));
  throw new OperatorError(
    claimed.includes(found) && !isOld
      ? `${shown} this already proves another operation. Nothing was changed.`
      : `${shown} this is older than the operation. Nothing was changed.`,
  );
}

type UnknownCreation = Creation & OperationIn<'UNKNOWN'>;

/** Finds the transaction that an operation created. Throws an {@link OperatorError} without one. */
export async function chooseTransaction(
  { reader }: Sources,
  operation: UnknownCreation,
  given: string | undefined,
): Promise<string> {
  if (given === undefined) {
    const effect = await readService(reader.findCreated(operation));
    if (effect.kind === 'CREATED') return effect.transactionId;
    throw new OperatorError(
      effect.kind === 'DECLINED'
        ? `Transaction ${effect.transactionId} carries the tag of the operation, but was declined. Nothing was changed.`
        : `No transaction with the tag of the operation was found${effect.kind === 'NOT_FOUND' && effect.complete ? '' : ' so far'}. Nothing was changed.`,
    );
  }
  const found = await readService(reader.readTransaction(given));
  if (found === null) throw new OperatorError(`The app key finds no transaction ${given}.`);
  if (found.createdBy !== operation.id) {
    throw new OperatorError(
      `Transaction ${given} does not carry the tag of the operation in \`custom.tillgraph.operation\`. Nothing was changed.`,
    );
  }
  if (found.isSuccessful) return given;
  throw new OperatorError(`Transaction ${given} was declined. Nothing was changed.`);
}

/** The transaction that an operation created, if one was found, and whether all were searched. */
export async function readCreated(
  { reader }: Sources,
  operation: UnknownCreation,
): Promise<{ readonly transactionId: string | undefined; readonly isComplete: boolean }> {
  const effect = await readService(reader.findCreated(operation));
  if (effect.kind === 'CREATED' || effect.kind === 'DECLINED') {
    return { transactionId: effect.transactionId, isComplete: true };
  }
  const isComplete = effect.kind === 'NOT_FOUND' && effect.complete;
  return { transactionId: undefined, isComplete };
}

const DENIED = new Set([403, 404]);

/** Converts the error of a failed read of the service to one that says what to do. */
async function readService<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    const { status, failure } = error;
    const advice =
      'Nothing was changed. To settle the operation without a check, add --unverified.';
    if (status === 401) {
      throw new OperatorError(
        `The payments service does not accept the app key. Check MONEY_OPERATOR_API_KEY. ${advice}`,
      );
    }
    const message = `The payments service could not be read (${status ?? failure}). ${advice}`;
    throw DENIED.has(status ?? 0) ? new OperatorError(message) : new Error(message);
  }
}
