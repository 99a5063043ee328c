import { byId, dateAndTime, element, timeOfDay } from './element.js';
import { faultNameOf, showFaults } from './faults.js';
import { call, onRecordsChanged, recordsChanged, repeat } from './interface.js';

const EVERY_MS = 1_000;
const MAX_SHOWN = 300;

/** Shows the requests that the services get, while they come. */
export function startRequests() {
  const list = byId('request-list');
  const pause = byId('requests-pause');
  // It scrolls, so it must be reachable by the keyboard.
  list.tabIndex = 0;
  let last = 0;
  let paused = false;
  let restart = true;

  const poll = async () => {
    if (paused) return;
    const entries = await call(
      'GET',
      `/requests?${restart ? '' : `after=${last}&`}limit=${MAX_SHOWN}`,
    );
    const first = restart;
    if (restart) list.replaceChildren();
    restart = false;
    last = entries.at(-1)?.number ?? (first ? 0 : last);
    if (entries.length > 0) await add(list, entries);
    byId('requests-none').hidden = list.children.length > 0;
    if (!first && entries.some(({ method }) => method !== 'GET')) recordsChanged();
  };

  // Another start of the sandbox counts from 1 again.
  const startAgain = () => {
    restart = true;
  };
  document.addEventListener('visibilitychange', startAgain);
  repeat(() => poll().catch(startAgain), EVERY_MS);

  pause.addEventListener('click', () => {
    paused = !paused;
    pause.setAttribute('aria-pressed', String(paused));
  });
  byId('requests-clear').addEventListener('click', async () => {
    await call('DELETE', '/requests').catch(() => {});
    list.replaceChildren();
    byId('requests-none').hidden = false;
  });
}

async function add(list, entries) {
  // The names of their faults are needed first.
  if (entries.some(({ fault }) => fault !== undefined)) await showFaults();
  list.prepend(...entries.toReversed().map(row));
  while (list.children.length > MAX_SHOWN) list.lastElementChild.remove();
}

function row({ service, at, method, path, ids, status, durationMs, fault, faultKind }) {
  const affected = fault === undefined ? undefined : `fault: ${faultNameOf(fault, faultKind)}`;
  return element(
    'li',
    fault === undefined ? {} : { class: 'faulty' },
    element('time', { datetime: at }, timeOfDay(new Date(at))),
    element(
      'code',
      { class: 'operation' },
      element('b', {}, method),
      ` ${path === '-' ? 'unknown path' : path}`,
    ),
    element('span', { class: `status s${Math.floor(status / 100)}` }, String(status || 'none')),
    element(
      'span',
      { class: 'more' },
      element('span', {}, service),
      element('span', {}, `${durationMs} ms`),
      ...ids.map((id) => element('code', {}, id)),
      affected === undefined ? undefined : element('span', { class: 'fault' }, affected),
    ),
  );
}

let shown = '';

/** Shows the mails. */
export function startOutbox() {
  onRecordsChanged(() => showMails().catch(() => {}));
}

async function showMails() {
  const mails = await call('GET', '/outbox');
  if (JSON.stringify(mails) === shown) return;
  shown = JSON.stringify(mails);
  byId('mails-none').hidden = mails.length > 0;
  byId('mail-list').replaceChildren(...mails.toReversed().map(mail));
}

function mail({ created, recipient, subject, body, sent }) {
  return element(
    'li',
    { class: 'mail' },
    element('strong', {}, subject),
    element(
      'span',
      { class: 'weak' },
      `to ${recipient}, ${dateAndTime(new Date(created))}, ${sent ? 'sent' : 'not sent'}`,
    ),
    element('pre', { class: 'full' }, body.trimEnd()),
  );
}
