import { parseArgs } from 'node:util';
import { OperatorError } from './operator.ts';

/** How to use each command. */
const synopses = {
  list: 'list [--open] [--key <key>] [--transaction <id>] [--limit <number>] [--json]',
  watch: 'watch [--json]',
  history: 'history <operation>',
  resolve:
    'resolve <operation> (--applied [<id>] | --not-applied) --note <text>\n          [--unverified] [--ignore-entry] [--by <name>]',
  reopen: 'reopen <operation> --note <text> [--by <name>]',
  waive: 'waive <operation> --note <text> [--unverified] [--by <name>]',
} as const;

/** How to use the commands. */
export const USAGE = `Usage: tillgraph money <command>

  ${synopses.list}
      Shows the money operations, newest first; with --open, the open ones, oldest first.
  ${synopses.watch}
      Shows the operations with an unknown outcome, and their changes, until Ctrl-C.
  ${synopses.history}
      Shows everything that happened to an operation.
  ${synopses.resolve}
      Settles an operation with an unknown outcome. After --applied, you can give the id
      of the balance line, or of the transaction that the operation created.
  ${synopses.reopen}
      Takes back a settlement that no client was told of.
  ${synopses.waive}
      Gives up waiting for the trail entry of an operation that succeeded.

<operation> is an id, or the first 8 or more characters of it.

Options:
  --key            Only the operations with this idempotency key.
  --transaction    Only the operations on this transaction.
  --limit          How many operations to show: 1 to 10000, default 1000.
  --unverified     Does not read the payments service.
  --ignore-entry   With --not-applied: ignores an entry that could be the operation's.
  --by             Who settles the operation, if the name of your account does not
                   say it. The history shows both.

The command needs the same DATABASE_URL or DATA_DIR as the gateway. With DATA_DIR,
stop the gateway first; watch needs DATABASE_URL. To verify a settlement, the command
reads the payments service with MONEY_OPERATOR_API_KEY or, if that is not set, with
MONEY_RECONCILE_API_KEY. Without a key, add --unverified.

Exit codes:
  0  The command was performed, or watch was stopped with Ctrl-C.
  1  The command failed. For example, the database or the service cannot be reached.
  2  The command or a setting is not valid, or the command is not possible.`;

/** A command of the operator. */
export type Command =
  | List
  | { readonly name: 'watch'; readonly json: boolean }
  | { readonly name: 'history'; readonly id: string }
  | Resolve
  | ({ readonly name: 'reopen'; readonly id: string } & Signed)
  | Waive;

/** Shows operations. */
export interface List {
  readonly name: 'list';
  readonly open: boolean;
  readonly json: boolean;
  readonly limit: number;
  readonly key?: string;
  readonly transactionId?: string;
}

/** What is recorded with a decision. */
interface Signed {
  readonly note: string;
  /** Who settles the operation, if the name of the account does not say it. */
  readonly by?: string;
}

/** Settles an operation. */
export interface Resolve extends Signed {
  readonly name: 'resolve';
  readonly id: string;
  readonly applied: boolean;
  /** The line or the transaction that the operator gives as proof. */
  readonly proof?: string;
  /** Do not read the service. */
  readonly unverified: boolean;
  /** Ignore an entry that could be the operation's. */
  readonly ignoreEntry: boolean;
}

/** Gives up waiting for the entry of an operation that succeeded. */
export interface Waive extends Signed {
  readonly name: 'waive';
  readonly id: string;
  /** Do not read the service. */
  readonly unverified: boolean;
}

const options = {
  open: { type: 'boolean' },
  json: { type: 'boolean' },
  key: { type: 'string' },
  transaction: { type: 'string' },
  limit: { type: 'string' },
  applied: { type: 'boolean' },
  'not-applied': { type: 'boolean' },
  unverified: { type: 'boolean' },
  'ignore-entry': { type: 'boolean' },
  note: { type: 'string' },
  by: { type: 'string' },
} as const;

type Name = Command['name'];

/** The options of each command. */
const allowed: Readonly<Record<Name, readonly string[]>> = {
  list: ['open', 'json', 'key', 'transaction', 'limit'],
  watch: ['json'],
  history: [],
  resolve: ['applied', 'not-applied', 'unverified', 'ignore-entry', 'note', 'by'],
  reopen: ['note', 'by'],
  waive: ['unverified', 'note', 'by'],
};

/** A `rawId` or node id of a line or a transaction. */
const PROOF = /^(?:(?:lin|txn)_)?([0-9a-f]{24})$/;
/** An id of an operation, or the beginning of one. */
const OPERATION = /^(?=.{8,36}$)[0-9a-f]{8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?$/;
/** A name without characters that a terminal could interpret. */
const NAME = /^[^\p{C}]{1,100}$/u;
const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 10_000;

/** Reads the arguments after `tillgraph money`. Throws an {@link OperatorError}. */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  const [name, ...given] = positionals;
  if (name === undefined) throw new OperatorError(USAGE);
  if (!isCommand(name)) throw new OperatorError(`There is no command "${name}".\n\n${USAGE}`);
  const other = Object.keys(values).find((option) => !allowed[name].includes(option));
  if (other !== undefined) throw invalid(name, `${name} has no option --${other}.`);
  const json = values.json === true;
  if (name === 'list' || name === 'watch') {
    if (given.length > 0) throw invalid(name, `"${given[0]}" is one argument too many.`);
    return name === 'list' ? readList(values) : { name, json };
  }
  const [id, proof, ...more] = given;
  if (id === undefined) throw invalid(name, `${name} needs the id of an operation.`);
  const [extra] = values.applied === true ? more : given.slice(1);
  if (extra !== undefined) throw invalid(name, `"${extra}" is one argument too many.`);
  if (!OPERATION.test(id)) {
    throw invalid(name, `"${id}" is not an operation id. \`list\` shows the ids.`);
  }
  if (name === 'history') return { name, id };
  const signed = readSigned(name, values);
  if (name === 'reopen') return { name, id, ...signed };
  const unverified = values.unverified === true;
  if (name === 'waive') return { name, id, ...signed, unverified };
  const applied = values.applied === true;
  if (applied === (values['not-applied'] === true)) {
    throw invalid(name, 'resolve needs either --applied or --not-applied.');
  }
  const ignoreEntry = values['ignore-entry'] === true;
  if (applied && ignoreEntry) throw invalid(name, '--ignore-entry is an option of --not-applied.');
  const settled = { name, id, applied, ...signed, unverified, ignoreEntry };
  return proof === undefined ? settled : { ...settled, proof: readProof(proof) };
}

function readList({ open, json, limit, key, transaction }: Values): List {
  const count = limit === undefined ? DEFAULT_LIMIT : Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > MAX_LIMIT) {
    throw invalid('list', `--limit must be an integer from 1 to ${MAX_LIMIT}.`);
  }
  return {
    name: 'list',
    open: open === true,
    json: json === true,
    limit: count,
    ...(key === undefined ? {} : { key }),
    ...(transaction === undefined ? {} : { transactionId: readProof(transaction) }),
  };
}

function readSigned(name: Name, values: Values): Signed {
  const note = values.note?.trim() ?? '';
  if (note === '') throw invalid(name, `${name} needs --note <text>.`);
  const by = values.by?.trim();
  if (by === undefined) return { note };
  if (!NAME.test(by)) throw invalid(name, '--by must be a name of 1 to 100 characters.');
  return { note, by };
}

function invalid(name: Name, reason: string): OperatorError {
  return new OperatorError(
    `${reason}\nUsage: tillgraph money ${synopses[name]}\n\`tillgraph money --help\` explains all commands.`,
  );
}

function isCommand(name: string): name is Name {
  return Object.hasOwn(allowed, name);
}

function readProof(text: string): string {
  const [, proof] = PROOF.exec(text) ?? [];
  if (proof !== undefined) return proof;
  throw new OperatorError(
    `"${text}" is not the id of a line or a transaction, which has 24 hexadecimal digits.`,
  );
}

type Values = ReturnType<typeof parse>['values'];

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    // The first sentence names the option. Node's advice after it is about `--` and does not help.
    const [reason] = error instanceof Error ? error.message.split('. ') : [];
    throw new OperatorError(`${reason?.replace(/\.$/, '')}.\n\n${USAGE}`);
  }
}
