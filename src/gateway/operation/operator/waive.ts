import { isMovement, type Movement, type OperationIn } from '../operation.ts';
import type { Waive } from './command.ts';
import { describe, describeEntry } from './describe.ts';
import { findView } from './find-view.ts';
import type { Operator } from './operator.ts';
import { OperatorError } from './operator-error.ts';
import { NO_KEY } from './resolve.ts';
import { readCandidates } from './verify.ts';

/** Gives up the entry of an operation that succeeded. Returns what to print. */
export async function waive(operator: Operator, command: Waive): Promise<string> {
  const { store, by } = operator;
  const { id, note } = command;
  const { operation } = await findView(store, id);
  if (operation.state !== 'SUCCEEDED' || !isMovement(operation)) throw notWaived(id);
  const { verified, found } = await expectNone(operator, operation, command);
  const waived = await store.waive(id, { note, by, verified });
  if (waived === undefined) throw notWaived(id);
  return `${describe(waived)} no longer waits for its entry. ${found}`;
}

function notWaived(id: string): OperatorError {
  return new OperatorError(
    `${id} does not wait for an entry. Only a capture, refund or void that succeeded by the response of the service, and whose entry is not known, does. Nothing was changed.`,
  );
}

async function expectNone(
  { store, reader }: Operator,
  operation: Movement & OperationIn<'SUCCEEDED'>,
  { unverified, ignoreEntry }: Waive,
) {
  if (unverified) return { verified: false, found: 'Not verified: the service was not read.' };
  if (reader === undefined) return { verified: false, found: `Not verified: ${NO_KEY}.` };
  const { entries } = await readCandidates({ reader, store }, operation);
  const shown = entries.map((entry) => describeEntry(entry, operation));
  if (shown.length === 0) {
    return { verified: true, found: 'Verified: the service shows no such entry.' };
  }
  if (ignoreEntry) {
    return { verified: false, found: `Not verified: this was ignored: ${shown.join('; ')}.` };
  }
  throw new OperatorError(
    `The service shows an entry that could be its own. The next ${operation.kind} of this amount finds it, so nothing has to be waived. Nothing was changed. To waive it anyway, add --ignore-entry.\n${shown.map((text) => `  ${text}`).join('\n')}`,
  );
}
