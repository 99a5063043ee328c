import { recordsChanged } from './changes.js';
import { copyable } from './copy.js';
import { byId, element } from './element.js';
import { bindForm } from './form.js';
import { call, InterfaceError } from './interface.js';
import { formatMoney } from './money.js';
import { offerTransaction } from './transactions.js';

/** The states of a payment of a scene, and how the page calls them. */
const states = {
  declined: 'declined',
  reserved: 'reserved',
  partlyCaptured: 'partly captured',
  captured: 'captured',
  partlyRefunded: 'partly refunded',
  refunded: 'refunded',
  voided: 'voided',
  disputeOpen: 'dispute open',
  disputeWon: 'dispute won',
  disputeLost: 'dispute lost',
  fraudAlert: 'fraud alert',
  recurring: 'recurring',
};

/** The form that makes a merchant with payments. */
export function startScene() {
  const fieldset = byId('scene-states');
  fieldset.append(...Object.entries(states).map(checkbox));
  bindForm(byId('scene-form'), async ({ seed, currency, name, count, ...chosen }) => {
    const payments = Object.keys(states)
      .filter((state) => chosen[state])
      .map((state) => ({ state, count }));
    const scene = await call('POST', '/scenes', { seed, currency, name, payments }).catch(toCount);
    recordsChanged();
    byId('scene-result').replaceChildren(await resultOf(scene));
    return `Made ${scene.merchant.name} with ${scene.payments.length} payments.`;
  });
}

/** The page has one number for all states, the interface one for each. */
function toCount(error) {
  const errors = error.errors.map(({ field, message }) => ({
    field: /^payments\.\d+\.count$/.test(field ?? '') ? 'count' : field,
    message,
  }));
  const fields = errors.map(({ field }) => field);
  throw new InterfaceError(errors.filter(({ field }, index) => fields.indexOf(field) === index));
}

function checkbox([state, label]) {
  const id = `scene-${state}`;
  const input = element('input', { type: 'checkbox', id, name: state, checked: '' });
  return element('span', { class: 'check' }, input, element('label', { for: id }, label));
}

async function resultOf({ merchant, payments }) {
  const rows = payments.map(async (payment) => {
    const { state, transactionId, disputeId, amount, currency, reference } = payment;
    const money = await formatMoney(amount, currency);
    offerTransaction(transactionId, `${money} to ${merchant.name}, ${states[state]}`);
    return element(
      'li',
      {},
      element('strong', {}, states[state]),
      element('span', {}, money),
      element('span', { class: 'weak' }, reference),
      copyable(transactionId),
      ...(disputeId === undefined ? [] : [element('span', {}, 'Dispute ', copyable(disputeId))]),
    );
  });
  return element(
    'div',
    {},
    element('p', {}, element('strong', {}, merchant.name), ' ', copyable(merchant.id)),
    element('ul', { class: 'rows' }, ...(await Promise.all(rows))),
  );
}
