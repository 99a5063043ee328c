import { onRecordsChanged } from './changes.js';
import { byId, element } from './element.js';
import { call } from './interface.js';
import { dateAndTime } from './time.js';

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
