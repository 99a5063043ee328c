import { byId, copyable, copyText, element } from './element.js';
import { interfaceAddress, onSandbox } from './interface.js';

const HIDDEN = '•'.repeat(12);

const services = [
  ['User records', 'usersUrl', true],
  ['Payments', 'paymentsUrl', true],
  ['Payment page', 'posUrl', false],
];

/** Shows the addresses and the demo app. */
export function startOverview() {
  let key = '';
  const button = byId('key-show');
  const showKey = (shown) => {
    byId('app-key').textContent = shown ? key : HIDDEN;
    button.setAttribute('aria-pressed', String(shown));
  };
  const isShown = () => button.getAttribute('aria-pressed') === 'true';
  button.addEventListener('click', () => showKey(!isShown()));
  byId('key-copy').addEventListener('click', async () => {
    byId('key-copied').textContent = await copyText(key);
  });
  onSandbox((sandbox) => {
    byId('addresses').replaceChildren(...addressRows(sandbox));
    byId('app-id').textContent = sandbox.demoApp.id;
    key = sandbox.demoApp.key;
    showKey(isShown());
  });
}

function addressRows(sandbox) {
  const rows = services.map(([name, property, described]) =>
    row(name, sandbox[property], described),
  );
  return [...rows, row('This interface', interfaceAddress(), true)];
}

function row(name, url, described) {
  const document = element('a', { href: `${url}/openapi.json` }, 'OpenAPI');
  document.setAttribute('aria-label', `OpenAPI document of ${name}`);
  return element(
    'div',
    {},
    element('dt', {}, name),
    element('dd', {}, element('code', {}, url), ' ', described ? document : ''),
  );
}

let known = [];

/** Returns the merchant with this id, if the page knows it. */
export function merchantById(id) {
  return known.find((merchant) => merchant.id === id);
}

/** The name of a merchant, or its id if it has none. */
export function merchantName({ id, name }) {
  return name ?? id;
}

/** Calls a function whenever the merchants, or their names, have changed. */
export function onMerchantsChanged(handle) {
  document.addEventListener('merchantschanged', handle);
}

/** Keeps the list of merchants, and every field that chooses one, up to date. */
export function startMerchants() {
  onSandbox(({ merchants }) => {
    if (JSON.stringify(merchants) === JSON.stringify(known)) return;
    known = merchants;
    showList();
    document.dispatchEvent(new Event('merchantschanged'));
    for (const select of document.querySelectorAll('[data-merchants]')) fill(select);
  });
}

function showList() {
  byId('merchants-none').hidden = known.length > 0;
  byId('merchant-list').replaceChildren(
    ...known.map((merchant) =>
      element(
        'li',
        {},
        element('strong', {}, merchantName(merchant)),
        element('span', { class: 'weak' }, merchant.currency),
        copyable(merchant.id),
      ),
    ),
  );
}

function fill(select) {
  const chosen = select.value;
  for (const option of [...select.options]) if (option.value !== '') option.remove();
  select.append(
    ...known.map((merchant) =>
      element('option', { value: merchant.id }, `${merchantName(merchant)} (${merchant.currency})`),
    ),
  );
  if (merchantById(chosen) !== undefined) select.value = chosen;
  select.dispatchEvent(new Event('change', { bubbles: true }));
}
