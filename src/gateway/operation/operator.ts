import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import type { Operation } from './operation.ts';
import type { OperationStore } from './store/operation-store.ts';

/** How the operator's command is used. */
const USAGE = `npm run money -- list [--open]
npm run money -- history <operation>
npm run money -- resolve <operation> --applied [<line>] [--note <text>]
npm run money -- resolve <operation> --not-applied --note <text>`;

/** The command was not understood, or cannot be done; the message says why. */
export class OperatorError extends Error {}

/** What the operator asks for. */
export type Command =
  | { readonly name: 'list'; readonly open: boolean }
  | { readonly name: 'history'; readonly id: string }
  | {
      readonly name: 'resolve';
      readonly id: string;
      readonly applied: boolean;
      readonly entryRef?: string;
      readonly note: string;
    };

const LISTED = 100;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the words after `npm run money --`. */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  const [name, id, line, ...more] = positionals;
  if (name === 'list' && id === undefined) return { name, open: values.open === true };
  const applied = values.applied === true;
  if ((name !== 'resolve' && name !== 'history') || id === undefined || more.length > 0) {
    throw new OperatorError(USAGE);
  }
  if (!UUID.test(id)) throw new OperatorError(`"${id}" is no id of an operation; see \`list\`.`);
  if (name === 'history') return { name, id };
  if (applied === (values['not-applied'] === true)) throw new OperatorError(USAGE);
  const note = values.note ?? '';
  if (!applied && (note === '' || line !== undefined)) throw new OperatorError(USAGE);
  return { name, id, applied, note, ...(line === undefined ? {} : { entryRef: line }) };
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

/** Does what the operator asks for; answers what to print. */
export async function runCommand(store: OperationStore, command: Command): Promise<string> {
  if (command.name === 'list') {
    const operations = await store.list(command.open, LISTED);
    return [HEAD, ...operations.map(toLine)].join('\n');
  }
  if (command.name === 'history') {
    const events = await store.history(command.id);
    return events
      .map(
        ({ at, from, to, detail }) =>
          `${at.toISOString()}  ${(from ?? '-').padEnd(11)} ${(to ?? '-').padEnd(11)} ${JSON.stringify(detail)}`,
      )
      .join('\n');
  }
  const { id, applied, entryRef, note } = command;
  const decided = await store.decide(id, {
    applied,
    note,
    by: userInfo().username,
    ...(entryRef === undefined ? {} : { entryRef }),
  });
  if (decided !== undefined) return `${id} is ${decided.state}.`;
  throw new OperatorError(
    `${id} is not an operation with an unknown outcome; nothing was changed.`,
  );
}

const HEAD =
  'operation                             state        posts  kind     amount  transaction  created';

function toLine(operation: Operation): string {
  const { id, state, needsOperator, posts, kind, amount, currency } = operation;
  const shown = `${state}${needsOperator ? ' !' : ''}`;
  const transaction = operation.transactionId ?? '-';
  const created = operation.createdAt.toISOString();
  return `${id}  ${shown.padEnd(12)} ${posts}      ${kind.padEnd(8)} ${amount} ${currency}  ${transaction}  ${created}`;
}
