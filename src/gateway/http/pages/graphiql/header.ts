import { escapeHtml } from '../page-files.ts';

const DEMO_KEY = `The key of the sandbox’s demo app is filled in under <b>Headers</b>. Tillgraph sends
the key only to the payments service.`;

const OWN_KEY = `Enter the key of your app under <b>Headers</b>: <code>Authorization: Bearer &lt;key of your app&gt;</code>.
Tillgraph sends the key only to the payments service. The ids in the examples exist only in the sandbox.`;

const TOKEN = `Enter a token under <b>Headers</b>: <code>Authorization: Bearer &lt;token&gt;</code>.
It is sent only to the gateway. The ids in the examples exist only in the sandbox.`;

/** The note about the credential. */
export type CredentialText = 'DEMO_KEY' | 'KEY' | 'TOKEN';

const texts = { DEMO_KEY, KEY: OWN_KEY, TOKEN };

/**
 * The header above GraphiQL: which key is sent, the export, a link to the diagram, and the groups
 * of the example operations. `groupOfTab` contains the group of each tab, in their order.
 *
 * The diagram opens in a new tab, because GraphiQL forgets its responses when the page is left.
 */
export function renderHeader(groupOfTab: readonly string[], credential: CredentialText): string {
  const groups = [...new Set(groupOfTab)];
  const indexes = groupOfTab.map((group) => groups.indexOf(group));
  const buttons = groups.map(
    (group, index) => `<button value="${index}">${escapeHtml(group)}</button>`,
  );
  return `<header id="header">
<h1>Tillgraph</h1>
<p>${texts[credential]}</p>
<button id="open-export">Export…</button>
<a href="schema" target="_blank">See the schema as a diagram</a>
<nav aria-label="Examples by group" data-group-of-tab="${indexes.join(' ')}"><span>Examples:</span> ${buttons.join('')}</nav>
</header>
${EXPORT}`;
}

/** The dialog of `export.js`. */
const EXPORT = `<dialog id="export" aria-labelledby="export-title">
<form>
<h2 id="export-title">Export</h2>
<p>Saves all items of a connection to a file. The query, variables and headers are those of the open tab.</p>
<label>Format <select name="format"><option value="csv">CSV</option><option value="xlsx">Spreadsheet (XLSX)</option><option value="jsonl">JSON lines</option></select></label>
<label>Path <input name="path" placeholder="merchant.transactions" aria-describedby="export-path" autocomplete="off" spellcheck="false"></label>
<p id="export-path">The fields that lead to the connection. You can leave it empty if the query has only one.</p>
<output></output>
<menu><button type="button" value="close">Close</button><button type="submit">Save file</button></menu>
</form>
</dialog>`;
