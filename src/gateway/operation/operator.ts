import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { formatMoney } from '../graphql/money.ts';
import type { Operation } from './operation.ts';
import type { OperationStore } from './store/operation-store.ts';

/** How to use the command. */
const USAGE = `npm run money -- list [--open]
npm run money -- history <operation>
npm run money -- resolve <operation> --applied [<line>] --note <text>
npm run money -- resolve <operation> --not-applied --note <text>

<line>: id of the balance line that proves it, or of the transaction that it created.`;

/** The command is not valid or cannot be performed; the message says why. */
export class OperatorError extends Error {}

/** A command of the operator. */
export type Command =
  | { readonly name: 'list'; readonly open: boolean }
  | { readonly name: 'history'; readonly id: string }
  | {
      readonly name: 'resolve';
      readonly id: string;
      readonly applied: boolean;
      readonly proof?: string;
      readonly note: string;
    };

const LISTED = 1_000;
/** A `rawId` or node id of a line or a transaction. */
const PROOF = /^(?:(?:lin|txn)_)?([0-9a-f]{24})$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the arguments after `npm run money --`. */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  const [name, id, line, ...more] = positionals;
  if (name === 'list' && id === undefined) return { name, open: values.open === true };
  const applied = values.applied === true;
  if ((name !== 'resolve' && name !== 'history') || id === undefined || more.length > 0) {
    throw new OperatorError(USAGE);
  }
  if (!UUID.test(id))
    throw new OperatorError(`"${id}" is not an operation id. \`list\` shows the ids.`);
  if (name === 'history') return { name, id };
  if (applied === (values['not-applied'] === true)) throw new OperatorError(USAGE);
  const note = values.note?.trim() ?? '';
  if (note === '' || (!applied && line !== undefined)) throw new OperatorError(USAGE);
  if (line === undefined) return { name, id, applied, note };
  const [, proof] = PROOF.exec(line) ?? [];
  if (proof === undefined) {
    throw new OperatorError(
      `"${line}" is not the id of a line or a transaction, which has 24 hexadecimal digits.`,
    );
  }
  return { name, id, applied, note, proof };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        open: { type: 'boolean' },
        applied: { type: 'boolean' },
        'not-applied': { type: 'boolean' },
        note: { type: 'string' },
      },
    });
  } catch {
    throw new OperatorError(USAGE);
  }
}

/** Performs a command. Returns what to print. */
export async function runCommand(store: OperationStore, command: Command): Promise<string> {
  if (command.name === 'list') return list(store, command.open);
  if (command.name === 'resolve') return resolve(store, command);
  const events = await store.history(command.id);
  if (events.length === 0) throw new OperatorError(`There is no operation ${command.id}.`);
  return events
    .map(
      ({ at, from, to, detail }) =>
        `${at.toISOString()}  ${(from ?? '-').padEnd(11)} ${(to ?? '-').padEnd(11)} ${JSON.stringify(detail)}`,
    )
    .join('\n');
}

async function list(store: OperationStore, open: boolean): Promise<string> {
  const operations = await store.list(open, LISTED + 1);
  if (operations.length === 0) return open ? 'No operation is open.' : 'There are no operations.';
  const lines = [HEAD, ...operations.slice(0, LISTED).map(toLine)];
  if (operations.length > LISTED)
    lines.push(`Only the ${open ? 'oldest' : 'newest'} ${LISTED} operations are shown.`);
  return lines.join('\n');
}

async function resolve(
  store: OperationStore,
  { id, applied, note, proof }: Command & { readonly name: 'resolve' },
): Promise<string> {
  const settlement = { applied, note, by: operatorName() };
  const settled = await store.settle(
    id,
    proof === undefined ? settlement : { ...settlement, proof },
  );
  if (settled === 'PROOF_TAKEN') {
    throw new OperatorError(`${proof} already proves another operation. Nothing was changed.`);
  }
  if (settled !== undefined) return `${settled.kind} ${describe(settled)} is ${settled.state}.`;
  throw new OperatorError(
    `${id} is not an operation with an unknown outcome. Nothing was changed.`,
  );
}

/** Name of the operator's account. A container may have no name for it. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

const HEAD =
  'operation                             state        posts  kind     created                   amount, transaction, merchant, key';

function toLine(operation: Operation): string {
  const { id, state, kind } = operation;
  const marked = `${state}${state === 'UNKNOWN' && operation.needsOperator ? ' !' : ''}`;
  const posts = state === 'PREPARED' ? 0 : operation.posts;
  const created = operation.createdAt.toISOString();
  return `${id}  ${marked.padEnd(12)} ${posts}      ${kind.padEnd(8)} ${created}  ${describe(operation)}`;
}

function describe({ amount, currency, transactionId, merchantId, key }: Operation): string {
  const money = formatMoney({ minorUnits: amount, currency });
  return `${money}, ${transactionId ?? 'no transaction yet'}, ${merchantId}, ${key}`;
}
