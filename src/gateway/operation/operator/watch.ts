import { setTimeout as sleep } from 'node:timers/promises';
import { isInProgress } from '../operation.ts';
import type { OperatorView } from '../store/operation-store.ts';
import { toJson, toText } from './describe.ts';
import type { Operator } from './operator.ts';

const POLL_MS = 1_000;
const WATCHED = 1_000;

/**
 * Prints the operations with an unknown outcome, then every change of one of them and every
 * new one, until it is stopped. An operation in progress is shown only if its outcome was
 * unknown before.
 */
export async function watch(
  operator: Operator,
  json: boolean,
  print: (text: string) => void,
  stop: AbortSignal,
): Promise<void> {
  /** What was printed last of each open operation. */
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
