import { byId, element } from './element.js';
import { call } from './interface.js';

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
