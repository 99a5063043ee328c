import { recordsChanged } from './changes.js';
import { copyable } from './copy.js';
import { byId, element } from './element.js';
import { bindForm } from './form.js';
import { call } from './interface.js';
import { merchantById, merchantName } from './merchants.js';
import { formatMoney } from './money.js';
import { offerTransaction } from './transactions.js';

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
