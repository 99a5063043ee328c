import { byId, element } from './element.js';
import { faultDetails, faultName, faultTarget } from './fault-text.js';
import { showOutcome } from './form.js';
import { call } from './interface.js';
import { onMerchantsChanged } from './merchants.js';
import { repeat } from './repeat.js';
import { timeOfDay } from './time.js';

const EVERY_MS = 2_000;

/** The names of all faults that the page has seen, by id. */
const seen = new Map();

/** The name of a fault, or the kind of one that was removed before the page saw it. */
export function faultNameOf(id, kind) {
  return seen.get(id) ?? `${kind}, removed`;
}

let shown = '';

/** Reads the list of faults and shows it. */
export async function showFaults() {
  const faults = await call('GET', '/faults');
  for (const { id, fault } of faults) seen.set(id, faultName(fault));
  const text = JSON.stringify(faults);
  if (text === shown) return;
  shown = text;
  show(faults);
}

/** Shows the faults, and removes them. */
export function startFaults() {
  repeat(showFaults, EVERY_MS);
  onMerchantsChanged(() => {
    shown = '';
  });
  byId('faults-clear').addEventListener('click', () =>
    change(async () => {
      await call('DELETE', '/faults');
      return 'Removed all.';
    }),
  );
}

/** The button that was used may be gone afterwards, so the heading gets the focus. */
async function change(work) {
  await showOutcome(byId('faults-done'), work);
  await showFaults();
  if (document.activeElement === document.body) byId('faults-title').focus();
}

function show(faults) {
  const focused = document.activeElement?.dataset.fault;
  const none = faults.length === 0;
  byId('faults-none').hidden = !none;
  byId('faults-order').hidden = faults.length < 2;
  byId('faults-clear').hidden = none;
  byId('fault-list').replaceChildren(...faults.map(row));
  if (focused !== undefined) document.querySelector(`[data-fault="${focused}"]`)?.focus();
  const chip = byId('fault-chip');
  const count = `${faults.length} fault${faults.length === 1 ? '' : 's'} active`;
  chip.textContent = none ? 'No faults' : count;
  chip.classList.toggle('warning', !none);
}

function row({ id, fault, matched, affected, expires }) {
  const until = expires === null ? [] : [`until ${timeOfDay(new Date(expires))} UTC`];
  const remove = element('button', { type: 'button', class: 'small', 'data-fault': id }, 'Remove');
  remove.setAttribute('aria-label', `Remove the fault “${faultName(fault)}”`);
  remove.addEventListener('click', () =>
    change(async () => {
      await call('DELETE', `/faults/${id}`);
      return 'Removed.';
    }),
  );
  return element(
    'li',
    {},
    element('strong', {}, faultName(fault)),
    element('code', {}, faultTarget(fault)),
    element('span', { class: 'count' }, `matched ${matched}, affected ${affected}`),
    remove,
    element('span', { class: 'weak full' }, [...faultDetails(fault), ...until].join(' · ')),
  );
}
