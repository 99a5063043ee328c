import { byId, duration, element, timeOfDay } from './element.js';
import { bindForm, showOutcome } from './form.js';
import { call, InterfaceError, onSandbox, repeat } from './interface.js';
import { merchantById, merchantName, onMerchantsChanged } from './overview.js';

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

/** What each kind of fault does, in a sentence. */
export const kindTexts = {
  delay: 'The request is handled after a delay.',
  status: 'The response has this status.',
  drop: 'The connection is closed without a response.',
  silence: 'There is no response, and the connection stays open.',
  truncate: 'Half of the response is sent, then the connection is closed.',
  garble: 'The body has the same length, but is not JSON.',
  stale: 'A read shows the records as they were some time ago.',
  rateLimit: 'Responds with 429 once a period has had its requests.',
};

const names = {
  delay: ({ delayMs }) => `Delay of ${duration(delayMs)}`,
  status: ({ status }) => `Status ${status}`,
  drop: () => 'Drop',
  silence: () => 'Silence',
  truncate: () => 'Truncate',
  garble: () => 'Garble',
  stale: ({ agoMs }) => `Stale by ${duration(agoMs)}`,
  rateLimit: ({ requests, periodMs }) => `Rate limit of ${requests} in ${duration(periodMs)}`,
};

/** What a fault does, in a few words. */
export function faultName(fault) {
  return names[fault.kind](fault);
}

/** Which requests a fault is for. */
export function faultTarget({ service, method, route }) {
  if (route === undefined && method === undefined) {
    return service === undefined ? 'all requests' : `all requests to ${service}`;
  }
  const operation = [method, route].filter((part) => part !== undefined).join(' ');
  return service === undefined ? operation : `${service}: ${operation}`;
}

/** Everything else that a fault says, in a few words each. */
export function faultDetails({ kind, delayMs, merchantId, every, next, applied, retryAfter }) {
  const merchant = merchantId && (merchantById(merchantId) ?? { id: merchantId, name: null });
  return [
    delayMs !== undefined && kind !== 'delay' && `after ${duration(delayMs)}`,
    merchant && `merchant ${merchantName(merchant)}`,
    every !== undefined && `1 of ${every} requests`,
    next !== undefined && `${next} request${next === 1 ? '' : 's'} at most`,
    applied && 'the request is applied first',
    retryAfter !== undefined && `retry after ${duration(retryAfter * 1000)}`,
  ].filter(Boolean);
}

const DELAY_MS = '2000';

/** The form that adds a fault. It shows only the fields of the chosen kind. */
export function startFaultForm() {
  const form = byId('fault-form');
  const kind = byId('fault-kind');
  kind.addEventListener('change', () => showKind(form, kind.value));
  showKind(form, kind.value);
  onSandbox(({ operations }) => fillOperations(byId('fault-operation'), operations));
  bindForm(form, async ({ operation = '', body, ...values }) => {
    const [service, method, route] = operation.split(' ');
    await call('POST', '/faults', {
      ...values,
      ...(service ? { service } : {}),
      ...(method ? { method, route } : {}),
      ...(body === undefined ? {} : { body: readJson(body) }),
    });
    await showFaults();
    return 'Added.';
  });
}

function showKind(form, kind) {
  for (const field of form.querySelectorAll('[data-kinds]')) {
    const applies = field.dataset.kinds.split(' ').includes(kind);
    field.hidden = !applies;
    for (const control of field.querySelectorAll('input, select, textarea')) {
      control.disabled = !applies;
    }
  }
  byId('fault-kind-text').textContent = kindTexts[kind];
  const delay = byId('fault-delay');
  byId('fault-delay-unit').textContent = kind === 'delay' ? 'ms' : 'ms, optional';
  if (kind === 'delay' && delay.value === '') delay.value = DELAY_MS;
  if (kind !== 'delay' && delay.value === DELAY_MS) delay.value = '';
  limitOperations(kind);
}

/** The records of some time ago are for reads only. */
function limitOperations(kind) {
  const select = byId('fault-operation');
  for (const option of select.options) {
    const [, method = 'GET'] = option.value.split(' ');
    option.disabled = kind === 'stale' && method !== 'GET';
  }
  if (select.selectedOptions[0]?.disabled) select.value = '';
}

function fillOperations(select, operations) {
  if (select.querySelector('optgroup') !== null) return;
  for (const [service, names] of Object.entries(operations)) {
    const all = element('option', { value: service }, `All requests to ${service}`);
    const each = names.map((name) => element('option', { value: `${service} ${name}` }, name));
    select.append(element('optgroup', { label: service }, all, ...each));
  }
  limitOperations(byId('fault-kind').value);
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new InterfaceError([{ field: 'body', message: 'Must be JSON, for example {"a": 1}.' }]);
  }
}
