/**
 * Creates an element. Children are elements or strings. Records can contain any text, so strings
 * never become HTML.
 */
export function element(name, attributes = {}, ...children) {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute.startsWith('on')) created.addEventListener(attribute.slice(2), value);
    else if (value !== undefined) created.setAttribute(attribute, value);
  }
  created.append(...children.filter((child) => child !== undefined));
  return created;
}

/** Returns the element of the page with this id. */
export function byId(id) {
  return document.getElementById(id);
}

const SHOWN_MS = 1_500;

/** Copies text to the clipboard. Returns a message for the visitor. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch {
    // Browsers allow it on a loopback address and with HTTPS only.
    return 'The browser does not allow copying here.';
  }
}

/** An id, with a button that copies it. */
export function copyable(id, what = 'id') {
  const button = element('button', { type: 'button', class: 'small' }, 'Copy');
  button.setAttribute('aria-label', `Copy ${what} ${id}`);
  const said = element('span', { role: 'status', class: 'hidden' });
  button.addEventListener('click', async () => {
    const result = await copyText(id);
    said.textContent = result;
    button.textContent = result === 'Copied.' ? 'Copied' : 'Not copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SHOWN_MS);
  });
  return element('span', { class: 'id' }, element('code', {}, id), button, said);
}

/** Asks whether to do what cannot be undone. Resolves to the answer. */
export function confirmed({ title, text, button }) {
  const dialog = byId('confirm');
  byId('confirm-title').textContent = title;
  byId('confirm-text').textContent = text;
  byId('confirm-yes').textContent = button;
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    const onClose = () => resolve(dialog.returnValue === 'yes');
    dialog.addEventListener('close', onClose, { once: true });
  });
}

const MAX = 50;

/** Offers a transaction in the fields that ask for the id of one. */
export function offerTransaction(id, text) {
  const list = byId('transactions');
  list.prepend(element('option', { value: id }, text));
  list.children[MAX]?.remove();
}

const pad = (number) => String(number).padStart(2, '0');

/** The time of day of a date, in UTC: `14:03:59`. */
export function timeOfDay(date) {
  return [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(pad).join(':');
}

/** A date and its time, in UTC: `2026-11-23 14:03:59`. */
export function dateAndTime(date) {
  return `${date.toISOString().slice(0, 10)} ${timeOfDay(date)}`;
}

const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** A number of milliseconds in the largest unit that it fills: `2 hours`. */
export function duration(ms) {
  const [size, unit] = units.find(([one]) => ms % one === 0 && ms > 0) ?? [1, 'ms'];
  const count = ms / size;
  return `${count} ${unit}${count === 1 || unit === 'ms' ? '' : 's'}`;
}
