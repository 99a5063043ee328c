import { startClock } from './clock.js';
import { startDisputes, startPayouts } from './disputes.js';
import { byId } from './element.js';
import { startFaultForm, startFaults } from './faults.js';
import { startInboxes } from './inboxes.js';
import { startMerchants, startOverview } from './overview.js';
import { startMoney, startPay, startScene } from './payments.js';
import { startReset, startSnapshots } from './records.js';
import { startOutbox, startRequests } from './requests.js';

const FIRST = 'overview';

/** Shows the view that the address names, and hides the others. */
export function startViews() {
  const views = [...document.querySelectorAll('main > section')];
  const links = [...document.querySelectorAll('nav a')];
  const show = (name) => {
    for (const view of views) view.hidden = view.id !== name;
    for (const link of links) {
      if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    document.querySelector('nav [aria-current]').scrollIntoView({ block: 'nearest' });
  };
  const nameOf = () => location.hash.slice(1);
  const isView = () => views.some(({ id }) => id === nameOf());
  show(isView() ? nameOf() : FIRST);
  // What is above the list on a phone is filled later than the browser looks for the list.
  const showRequests = () => {
    if (nameOf() === 'requests') byId('requests').scrollIntoView();
  };
  document.addEventListener('merchantschanged', () => setTimeout(showRequests), { once: true });
  window.addEventListener('hashchange', () => {
    if (!isView()) return;
    show(nameOf());
    window.scrollTo(0, 0);
    byId(`${nameOf()}-title`).focus({ preventScroll: true });
  });
}

startViews();
startMerchants();
startOverview();
startFaultForm();
startFaults();
startClock();
startReset();
startSnapshots();
startPay();
startScene();
startDisputes();
startPayouts();
startOutbox();
startInboxes();
startRequests();
void startMoney();
