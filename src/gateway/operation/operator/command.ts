import { parseArgs } from 'node:util';
import { OperatorError } from './operator-error.ts';

/** How to use the command. */
export const USAGE = `Usage: tillgraph money <command>

  list [--open] [--json]
      Shows the money operations, or only the open ones.
  watch [--json]
      Shows the operations with an unknown outcome, and their changes, until Ctrl-C.
  history <operation>
      Shows everything that happened to an operation.
  resolve <operation> --applied [<line or transaction>] --note <text>
  resolve <operation> --not-applied --note <text>
      Settles an operation with an unknown outcome. <line or transaction> is the id
      of the balance line, or of the transaction that the operation created.
  reopen <operation> --note <text>
      Takes a settlement back that no caller was told of.
  waive <operation> --note <text>
      Gives up waiting for the trail entry of an operation that succeeded.

Options of resolve and waive:
  --unverified     Does not read the payments service.
  --ignore-entry   Ignores an entry that could be the operation's.

The command needs the same DATABASE_URL or DATA_DIR as the gateway. To check a
decision, it reads the payments service with MONEY_OPERATOR_API_KEY or, if that is
not set, with MONEY_RECONCILE_API_KEY.

Exit codes:
  0  The command was performed, or watch was stopped with Ctrl-C.
  1  The command failed. For example, the database or the service cannot be reached.
  2  The command or a setting is not valid, or the command is not possible.`;

/** A command of the operator. */
export type Command =
  | { readonly name: 'list'; readonly open: boolean; readonly json: boolean }
  | { readonly name: 'watch'; readonly json: boolean }
  | { readonly name: 'history'; readonly id: string }
  | Resolve
  | { readonly name: 'reopen'; readonly id: string; readonly note: string }
  | Waive;

/** Whether and how a decision is checked. */
interface Checked {
  /** Do not read the service. */
  readonly unverified: boolean;
  /** Ignore what the service shows against the decision. */
  readonly ignoreEntry: boolean;
}

/** Settles an operation. */
export interface Resolve extends Checked {
  readonly name: 'resolve';
  readonly id: string;
  readonly applied: boolean;
  /** The line or the transaction that the operator gives as proof. */
  readonly proof?: string;
  readonly note: string;
}

/** Gives up the entry of an operation that succeeded. */
export interface Waive extends Checked {
  readonly name: 'waive';
  readonly id: string;
  readonly note: string;
}

const options = {
  open: { type: 'boolean' },
  json: { type: 'boolean' },
  applied: { type: 'boolean' },
  'not-applied': { type: 'boolean' },
  unverified: { type: 'boolean' },
  'ignore-entry': { type: 'boolean' },
  note: { type: 'string' },
} as const;

/** The options of each command. */
const allowed: Readonly<Record<Command['name'], readonly string[]>> = {
  list: ['open', 'json'],
  watch: ['json'],
  history: [],
  resolve: ['applied', 'not-applied', 'unverified', 'ignore-entry', 'note'],
  reopen: ['note'],
  waive: ['unverified', 'ignore-entry', 'note'],
};

/** A `rawId` or node id of a line or a transaction. */
const PROOF = /^(?:(?:lin|txn)_)?([0-9a-f]{24})$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the arguments after `tillgraph money`. Throws an {@link OperatorError}. */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  const [name, ...given] = positionals;
  if (name === undefined || !isCommand(name)) throw new OperatorError(USAGE);
  const other = Object.keys(values).find((option) => !allowed[name].includes(option));
  if (other !== undefined) throw new OperatorError(`${name} has no option --${other}.\n\n${USAGE}`);
  const json = values.json === true;
  if (name === 'list' || name === 'watch') {
    if (given.length > 0) throw new OperatorError(USAGE);
    return name === 'list' ? { name, json, open: values.open === true } : { name, json };
  }
  const [id, proof, ...more] = given;
  if (id === undefined || more.length > 0) throw new OperatorError(USAGE);
  if (proof !== undefined && values.applied !== true) throw new OperatorError(USAGE);
  if (!UUID.test(id))
    throw new OperatorError(`"${id}" is not an operation id. \`list\` shows the ids.`);
  if (name === 'history') return { name, id };
  const note = values.note?.trim() ?? '';
  if (note === '') throw new OperatorError(`${name} needs --note <text>.\n\n${USAGE}`);
  if (name === 'reopen') return { name, id, note };
  const checked = {
    unverified: values.unverified === true,
    ignoreEntry: values['ignore-entry'] === true,
  };
  if (name === 'waive') return { name, id, note, ...checked };
  const applied = values.applied === true;
  if (applied === (values['not-applied'] === true)) {
    throw new OperatorError(`resolve needs either --applied or --not-applied.\n\n${USAGE}`);
  }
  if (applied && checked.ignoreEntry) throw new OperatorError(USAGE);
  const settled = { name, id, applied, note, ...checked };
  return proof === undefined ? settled : { ...settled, proof: readProof(proof) };
}

function isCommand(name: string): name is Command['name'] {
  return Object.hasOwn(allowed, name);
}

function readProof(text: string): string {
  const [, proof] = PROOF.exec(text) ?? [];
  if (proof !== undefined) return proof;
  throw new OperatorError(
    `"${text}" is not the id of a line or a transaction, which has 24 hexadecimal digits.`,
  );
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch {
    throw new OperatorError(USAGE);
  }
}
