import { recordsChanged } from './changes.js';
import { readClock } from './clock.js';
import { confirmed } from './confirm.js';
import { byId } from './element.js';
import { bindForm } from './form.js';
import { call } from './interface.js';

/** The value of a choice that is a snapshot. No other choice begins like this. */
const SNAPSHOT = 'snapshot:';

/** Replaces all records, if the visitor confirms it. Returns what to say about it. */
export async function resetTo(to, time) {
  const what = to === 'demo' ? 'the demo data' : to === 'empty' ? 'only the demo app' : undefined;
  const target = what ?? `the records of “${to.snapshot}”`;
  const sure = await confirmed({
    title: 'Replace all records?',
    text: `Afterwards the sandbox has ${target}. Take a snapshot first to keep the records of now.`,
    button: 'Replace records',
  });
  if (!sure) return 'Nothing was changed.';
  await call('POST', '/reset', time === undefined ? { to } : { to, time });
  recordsChanged();
  await readClock();
  return `Done. The sandbox has ${target}.`;
}

/** The form that replaces all records. */
export function startReset() {
  bindForm(byId('reset-form'), ({ to, time }) =>
    resetTo(to.startsWith(SNAPSHOT) ? { snapshot: to.slice(SNAPSHOT.length) } : to, time),
  );
}

/** The value of the choice of a snapshot. */
export function snapshotChoice(name) {
  return SNAPSHOT + name;
}
