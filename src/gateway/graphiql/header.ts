const DEMO_KEY = `The key of the sandbox’s demo app is filled in under <b>Headers</b>. It goes to the payments
service and nowhere else.`;

const OWN_KEY = `Enter the key of your app under <b>Headers</b>: <code>Authorization: Bearer &lt;key of your app&gt;</code>.
It goes to the payments service and nowhere else. The ids in the examples exist only in the sandbox.`;

const TOKEN = `Enter a token under <b>Headers</b>: <code>Authorization: Bearer &lt;token&gt;</code>.
It goes to the gateway and nowhere else. The ids in the examples exist only in the sandbox.`;

/** What the page says about the credential. */
export type CredentialText = 'DEMO_KEY' | 'KEY' | 'TOKEN';

const texts = { DEMO_KEY, KEY: OWN_KEY, TOKEN };

/**
 * The header above GraphiQL: which key is sent, a link to the diagram, and the groups of the
 * example operations. `groupOfTab` contains the group of each tab, in their order.
 *
 * The diagram opens in a new tab, because GraphiQL forgets its text when it is left.
 */
export function renderHeader(groupOfTab: readonly string[], credential: CredentialText): string {
  const groups = [...new Set(groupOfTab)];
  const indexes = groupOfTab.map((group) => groups.indexOf(group));
  const buttons = groups.map(
    (group, index) => `<button value="${index}">${escapeHtml(group)}</button>`,
  );
  return `<header id="header">
<p>${texts[credential]}</p>
<a href="/schema" target="_blank">See the schema as a diagram</a>
<nav aria-label="Examples by group" data-group-of-tab="${indexes.join(' ')}">Examples: ${buttons.join('')}</nav>
</header>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
