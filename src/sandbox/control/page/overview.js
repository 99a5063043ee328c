import { copyText } from './copy.js';
import { byId, element } from './element.js';
import { onSandbox } from './sandbox.js';

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
  const address = (location.origin + location.pathname).replace(/\/$/, '');
  return [...rows, row('This interface', address, true)];
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
