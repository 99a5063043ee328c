import { byId, copyable, element, offerTransaction } from './element.js';
import { bindForm } from './form.js';
import { call, InterfaceError, recordsChanged } from './interface.js';
import { merchantById, merchantName } from './overview.js';

let loading;

/** The currencies that the payments service publishes, by code. */
export function currencies() {
  loading ??= call('GET', '/page/currencies.json');
  return loading;
}

/** Formats an amount in minor units: `EUR 12.50`. */
export async function formatMoney(minorUnits, code) {
  const { exponent } = (await currencies())[code] ?? { exponent: 0 };
  const digits = String(minorUnits).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${code} ${grouped}${exponent === 0 ? '' : `.${digits.slice(-exponent)}`}`;
}

/** Fills the lists of currencies. */
export async function startMoney() {
  const all = Object.values(await currencies()).filter(({ deprecated }) => !deprecated);
  const option = ({ code }) => element('option', { value: code }, code);
  byId('pay-currency').append(...all.filter(({ chargeable }) => chargeable).map(option));
  byId('scene-currency').append(...all.filter(({ funding }) => funding).map(option));
  byId('scene-currency').value = 'EUR';
}

const FIRST_CARD = 'success';

/** The forms of first payments and of reservations. */
export function startPay() {
  void fillCards(byId('pay-card')).catch(() => {});
  const form = byId('pay-form');
  form.addEventListener('input', () => showAmount(form));
  form.addEventListener('change', () => showAmount(form));
  bindForm(form, async ({ merchantId = '', ...values }) => {
    const body = { merchantId, ...values };
    const { transactionId, successful, error } = await call('POST', '/payments', body);
    recordsChanged();
    const money = await moneyOf(form);
    const merchant = merchantById(merchantId);
    const name = merchant === undefined ? '' : ` to ${merchantName(merchant)}`;
    offerTransaction(transactionId, `${money}${name}, ${successful ? 'reserved' : 'declined'}`);
    const text = successful ? `Reserved ${money}.` : `Declined: ${error.message} (${error.code}).`;
    const outcome = element('strong', { class: successful ? 'good' : 'bad' }, text);
    return [outcome, ' Transaction ', copyable(transactionId)];
  });
  bindForm(byId('expiry-form'), async ({ transactionId = '' }) => {
    const path = `/transactions/${encodeURIComponent(transactionId || '-')}/expiry`;
    const { voided } = await call('POST', path, {});
    recordsChanged();
    return `Voided ${voided} minor units.`;
  });
}

/** Cards are grouped by the first word of their names, in the order of their numbers. */
async function fillCards(select) {
  const cards = await call('GET', '/test-cards');
  const names = cards
    .map(({ name }) => name)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  const groups = Map.groupBy(names, groupOf);
  for (const label of ['usual', ...groups.keys()]) {
    const group = groups.get(label);
    groups.delete(label);
    if (group === undefined) continue;
    const options = group.map((name) => element('option', { value: name }, name));
    select.append(element('optgroup', { label }, ...options));
  }
  select.value = FIRST_CARD;
}

function groupOf(name) {
  if (/^(success|mastercard)$/.test(name)) return 'usual';
  return name.replace(/(-later)?-(\w+)$/, (_, later = '') => later);
}

async function showAmount(form) {
  byId('pay-amount-text').textContent = await moneyOf(form);
}

async function moneyOf({ elements: { amount, currency, merchantId } }) {
  const code = currency.value || merchantById(merchantId.value)?.currency;
  const minorUnits = amount.valueAsNumber;
  if (code === undefined || !Number.isInteger(minorUnits) || minorUnits < 0) return '';
  return formatMoney(minorUnits, code);
}

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
