import { byId, dateAndTime, duration, element } from './element.js';
import { call, interfaceAddress, repeat } from './interface.js';

const EVERY_MS = 2_000;

let shown = '';

/** Shows the inboxes and their messages. */
export function startInboxes() {
  byId('inbox-address').textContent = `${interfaceAddress()}/inbox/orders`;
  repeat(showInboxes, EVERY_MS);
}

async function showInboxes() {
  const inboxes = await call('GET', '/inbox');
  const text = JSON.stringify(inboxes);
  if (text === shown) return;
  const cards = await Promise.all(inboxes.map(card));
  shown = text;
  byId('inboxes-none').hidden = inboxes.length > 0;
  byId('inbox-list').replaceChildren(...cards);
}

async function card({ name, response: { status, delayMs } }) {
  const { messages } = await call('GET', `/inbox/${name}`);
  const delay = delayMs === 0 ? '' : ` after ${duration(delayMs)}`;
  return element(
    'div',
    { class: 'card wide' },
    element('h3', {}, name),
    element('p', { class: 'hint' }, `Responds with ${status}${delay}.`),
    messages.length === 0 ? element('p', { class: 'none' }, 'No messages.') : undefined,
    element('ol', { class: 'rows' }, ...messages.map(row)),
  );
}

function row({ receivedAt, headers, body }) {
  return element(
    'li',
    {},
    element('time', { datetime: receivedAt }, dateAndTime(new Date(receivedAt))),
    element('code', {}, headers['webhook-id'] ?? 'no webhook-id'),
    element('pre', { class: 'full' }, indented(body)),
  );
}

/** JSON on several lines; any other text as it is. */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
