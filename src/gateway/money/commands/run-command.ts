import { setTimeout as sleep } from 'node:timers/promises';
import { isInProgress, type Operation } from '../engine/operation.ts';
import type { NotReopened, OperatorView } from '../store/operation-store.ts';
import type { Command, List } from './command.ts';
import { describe, toJson, toText } from './describe.ts';
import { findId, findView, type Operator, OperatorError } from './operator.ts';
import { resolve, waive } from './resolve.ts';

/**
 * Performs a command.
 *
 * @param print called with each text to print, without the line break at its end
 * @param stop ends `watch`
 */
export async function runCommand(
  given: Operator,
  command: Command,
  print: (text: string) => void,
  stop: AbortSignal,
): Promise<void> {
  const operator = 'by' in command ? { ...given, by: `${command.by} (${given.by})` } : given;
  switch (command.name) {
    case 'list':
      return print(await list(operator, command));
    case 'watch':
      return watch(operator, command.json, print, stop);
    case 'history':
      return print(await history(operator, command.id));
    case 'resolve':
      return print(await resolve(operator, command));
    case 'reopen':
      return print(await reopen(operator, command.id, command.note));
    case 'waive':
      return print(await waive(operator, command));
  }
}

async function list(
  { store, now }: Operator,
  { open, json, limit, ...filter }: List,
): Promise<string> {
  const views = await store.view({ ...filter, open, limit: limit + 1 });
  const listed = views.slice(0, limit);
  if (json)
    return JSON.stringify(
      listed.map((view) => toJson(view, now())),
      null,
      2,
    );
  if (listed.length === 0) {
    if (filter.key !== undefined || filter.transactionId !== undefined) return 'Nothing was found.';
    return open ? 'No operation is open.' : 'There are no operations.';
  }
  const texts = listed.map((view) => toText(view, now()));
  if (views.length > limit) {
    texts.push(`Only the ${open ? 'oldest' : 'newest'} ${limit} operations are shown.`);
  }
  return texts.join('\n');
}

/** The events of an operation are kept for some time after it was removed. */
async function history({ store }: Operator, id: string): Promise<string> {
  const events = await store.history(await findId(store, id));
  if (events.length === 0) throw new OperatorError(`There is no operation ${id}.`);
  return events
    .map(
      ({ at, from, to, detail }) =>
        `${at.toISOString()}  ${(from ?? '-').padEnd(11)} ${(to ?? '-').padEnd(11)} ${JSON.stringify(detail)}`,
    )
    .join('\n');
}

const NOT_REOPENED: Readonly<Record<NotReopened, string>> = {
  NOT_SETTLED: 'The operator has not settled it.',
  RETURNED: 'A client was told of the settlement, so it is final.',
  FOLLOWED:
    'Another operation of this kind on the transaction is open, or has succeeded since the settlement.',
};

async function reopen({ store, by }: Operator, id: string, note: string): Promise<string> {
  const { operation } = await findView(store, id);
  const reopened: Operation | NotReopened = await store.reopen(operation.id, { note, by });
  if (typeof reopened !== 'string') return `${describe(reopened)} is ${reopened.state} again.`;
  throw new OperatorError(
    `${id} cannot be reopened. ${NOT_REOPENED[reopened]} Nothing was changed.`,
  );
}

const POLL_MS = 1_000;
const WATCHED = 1_000;

/**
 * Prints the operations with an unknown outcome, then every change of one of them and every
 * new one, until it is stopped. An operation in progress is shown only if its outcome was
 * unknown before.
 */
async function watch(
  operator: Operator,
  json: boolean,
  print: (text: string) => void,
  stop: AbortSignal,
): Promise<void> {
  /** What was last printed for each open operation. */
  const shown = new Map<string, string>();

  function show(view: OperatorView): void {
    const { id } = view.operation;
    const state = stateOf(view);
    if (shown.get(id) === state) return;
    if (!shown.has(id) && isInProgress(view.operation)) return;
    shown.set(id, state);
    const now = operator.now();
    print(json ? JSON.stringify(toJson(view, now)) : `${toTime(now)}  ${toText(view, now)}`);
  }

  while (!stop.aborted) {
    const open = await operator.store.view({ open: true, limit: WATCHED });
    for (const view of open) show(view);
    const ids = new Set(open.map(({ operation }) => operation.id));
    for (const id of [...shown.keys()].filter((id) => !ids.has(id))) {
      const ended = await operator.store.viewOne(id);
      if (ended !== undefined) show(ended);
      shown.delete(id);
    }
    await sleep(POLL_MS, undefined, { signal: stop }).catch(() => {});
  }
}

/** What has to change for an operation to be printed again: anything but its age. */
function stateOf(view: OperatorView): string {
  return JSON.stringify(toJson(view, view.operation.createdAt.getTime()));
}

function toTime(now: number): string {
  return new Date(now).toISOString();
}
