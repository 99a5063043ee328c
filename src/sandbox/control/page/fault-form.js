import { byId, element } from './element.js';
import { kindTexts } from './fault-text.js';
import { showFaults } from './faults.js';
import { bindForm } from './form.js';
import { call, InterfaceError } from './interface.js';
import { onSandbox } from './sandbox.js';

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
