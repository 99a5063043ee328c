import { readClock } from './clock.js';
import { byId, confirmed, dateAndTime, element } from './element.js';
import { bindForm, showOutcome } from './form.js';
import { call, InterfaceError, onRecordsChanged, recordsChanged } from './interface.js';

/** The value of a choice that is a snapshot. No other value starts with it. */
const SNAPSHOT = 'snapshot:';

/** Replaces all records, if the visitor confirms it. Returns what to say about it. */
export async function resetTo(to, time) {
  const what = to === 'demo' ? 'the demo data' : to === 'empty' ? 'only the demo app' : undefined;
  const target = what ?? `the records of “${to.snapshot}”`;
  const sure = await confirmed({
    title: 'Replace all records?',
    text: `Afterwards the sandbox has ${target}. Take a snapshot first to keep the current records.`,
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

/** Takes, lists, restores, exports, imports and deletes snapshots. */
export function startSnapshots() {
  onRecordsChanged(() => showSnapshots().catch(() => {}));
  bindForm(byId('snapshot-take'), async ({ name = '' }) => {
    const taken = await call('POST', '/snapshots', { name });
    await showSnapshots();
    return `Took “${taken.name}”.`;
  });
  const file = byId('import-file');
  file.addEventListener('change', () => {
    const name = byId('import-name');
    if (name.value === '') name.value = nameOfFile(file.files[0]?.name ?? '');
  });
  bindForm(byId('snapshot-import'), async ({ name = '' }) => {
    const [chosen] = file.files;
    if (chosen === undefined) {
      throw new InterfaceError([{ field: 'body', message: 'Choose a file.' }]);
    }
    // Without a name, the path would be another one.
    const path = `/snapshots/${encodeURIComponent(name || ' ')}`;
    const imported = await call('PUT', path, await chosen.text());
    await showSnapshots();
    return `Imported “${imported.name}”.`;
  });
}

/** What a snapshot may be called, as far as the name of a file has it. */
function nameOfFile(file) {
  return file
    .replace(/\.json$/, '')
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 64);
}

async function showSnapshots() {
  const snapshots = await call('GET', '/snapshots');
  byId('snapshots-none').hidden = snapshots.length > 0;
  byId('snapshot-list').replaceChildren(...snapshots.map(row));
  const choices = byId('reset-snapshots');
  choices.hidden = snapshots.length === 0;
  choices.replaceChildren(
    ...snapshots.map(({ name }) => element('option', { value: snapshotChoice(name) }, name)),
  );
}

function row({ name, taken, bytes }) {
  const path = `/snapshots/${encodeURIComponent(name)}`;
  const action = (label, work) => {
    const button = element('button', { type: 'button', class: 'small' }, label);
    button.setAttribute('aria-label', `${label} “${name}”`);
    button.addEventListener('click', () => showOutcome(byId('snapshots-done'), work));
    return button;
  };
  const link = element('a', { class: 'small', href: path, download: `${name}.json` }, 'Export');
  link.setAttribute('aria-label', `Export “${name}”`);
  return element(
    'li',
    {},
    element('strong', {}, name),
    element(
      'span',
      { class: 'weak' },
      `taken ${dateAndTime(new Date(taken))} UTC by the clock of this machine, ${size(bytes)}`,
    ),
    element(
      'span',
      { class: 'buttons' },
      action('Restore', () => resetTo({ snapshot: name })),
      link,
      action('Delete', () => deleteSnapshot(name, path)),
    ),
  );
}

async function deleteSnapshot(name, path) {
  const sure = await confirmed({
    title: 'Delete the snapshot?',
    text: `“${name}” cannot be restored afterwards. Export it first to keep it.`,
    button: 'Delete snapshot',
  });
  if (!sure) return 'Nothing was changed.';
  await call('DELETE', path);
  await showSnapshots();
  byId('records-title').focus();
  return `Deleted “${name}”.`;
}

function size(bytes) {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
