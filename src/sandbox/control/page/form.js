import { element } from './element.js';
import { InterfaceError } from './interface.js';

let errorCount = 0;

/**
 * Sends a form. `send` gets the values of its fields and the button, and returns what to show as
 * the result. An error is shown next to its field.
 */
export function bindForm(form, send) {
  let sending = false;
  form.noValidate = true;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (sending) return;
    sending = true;
    clearErrors(form);
    clearResults(form);
    form.setAttribute('aria-busy', 'true');
    try {
      const result = await send(valuesOf(form), event.submitter);
      showResult(form.querySelector('output'), result ?? '');
    } catch (error) {
      showErrors(form, error);
    } finally {
      sending = false;
      form.removeAttribute('aria-busy');
    }
  });
}

/** Shows a result, or an error, in an output that is not part of a form. */
export async function showOutcome(output, work) {
  clearResults(output);
  output.classList.remove('error');
  try {
    showResult(output, (await work()) ?? '');
  } catch (error) {
    output.classList.add('error');
    showResult(output, error.message);
  }
}

/** Removes the results of earlier actions in the same view: they are no longer true. */
function clearResults(part) {
  for (const output of part.closest('section').querySelectorAll('output')) {
    output.replaceChildren();
  }
}

function showResult(output, result) {
  output.replaceChildren(...[result].flat());
}

/** The values of the fields that apply. An empty field is left out. */
function valuesOf(form) {
  const values = {};
  for (const field of form.elements) {
    if (field.name === '' || field.disabled || field.type === 'file') continue;
    if (field.validity.badInput) {
      throw new InterfaceError([{ field: field.name, message: 'Must be a number.' }]);
    }
    if (field.type === 'checkbox') values[field.name] = field.checked;
    else if (field.value !== '') values[field.name] = readValue(field);
  }
  return values;
}

function readValue({ type, value, dataset }) {
  if (type === 'number' || dataset.number !== undefined) return Number(value);
  if (type === 'datetime-local') return new Date(`${value}Z`).toISOString();
  return value.trim();
}

function clearErrors(form) {
  form.querySelector('output').replaceChildren();
  for (const field of form.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid');
    const hints = (field.getAttribute('aria-describedby') ?? '').split(' ');
    const others = hints.filter((id) => !id.startsWith('error-')).join(' ');
    if (others === '') field.removeAttribute('aria-describedby');
    else field.setAttribute('aria-describedby', others);
  }
  for (const shown of form.querySelectorAll('.error')) shown.remove();
}

function showErrors(form, error) {
  const errors = error instanceof InterfaceError ? error.errors : [{ message: String(error) }];
  const others = errors.filter(({ field, message }) => !showFieldError(form, field, message));
  form.querySelector('[aria-invalid]')?.focus();
  if (others.length === 0) return;
  const texts = others.map(({ field, message }) =>
    field === undefined || field === 'body' ? message : `${field}: ${message}`,
  );
  const alert = element('p', { class: 'error', role: 'alert' });
  form.querySelector('.actions').after(alert);
  alert.append(texts.join(' '));
}

/** Returns false if the form shows no such field. */
function showFieldError(form, name = '', message = '') {
  const [first] = name.split('.');
  const field = [...form.elements].find(
    (one) => one.name === first || (one.dataset.fields ?? '').split(' ').includes(first),
  );
  if (field === undefined || field.disabled || first === '') return false;
  const id = `error-${++errorCount}`;
  const described = [field.getAttribute('aria-describedby'), id].filter(Boolean).join(' ');
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', described);
  const shown = element('p', { class: 'error', id }, message);
  if (field.matches('fieldset')) field.append(shown);
  else field.closest('.field').append(shown);
  return true;
}
