import { isMovement, type Movement, type OperationIn } from '../operation.ts';
import { without } from '../snapshot.ts';
import type { Waive } from './command.ts';
import { describe } from './describe.ts';
import { findView } from './find-view.ts';
import type { Operator } from './operator.ts';
import { OperatorError } from './operator-error.ts';
import { noKey, UNVERIFIED } from './resolve.ts';
import { readTrail } from './verify.ts';

type Succeeded = Movement & OperationIn<'SUCCEEDED'>;

/** Gives up the entry of an operation that succeeded. Returns what to print. */
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
