const STYLE = `<style>
body { display: flex; flex-direction: column; height: 100vh; overflow: hidden; }
#root { flex: 1; min-height: 0; }
#root .graphiql-container { height: 100%; }
#header { color-scheme: light dark; --text: light-dark(#3b4b68, #b7c2d7); --accent: light-dark(#d60690, #ff5794);
  display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: baseline; padding: 12px 16px 0;
  background: light-dark(#fff, #212a3b); color: var(--text); font: 15px/1.4 Roboto, sans-serif; }
.graphiql-light #header { color-scheme: light; }
.graphiql-dark #header { color-scheme: dark; }
#header p { flex: 1; min-width: 20em; margin: 0; }
#header a { color: var(--accent); }
#header code { font-family: 'Fira Code', monospace; font-size: 13px; }
#header nav { display: flex; flex-wrap: wrap; gap: 4px; align-items: baseline; width: 100%; }
#header button { border: 0; border-radius: 6px; padding: 4px 10px; background: none; color: inherit; font: inherit; cursor: pointer; }
#header button:hover { background: light-dark(#eef0f4, #2f3a4f); }
#header button[aria-current] { background: var(--accent); color: light-dark(#fff, #212a3b); }
#header button:disabled { opacity: 0.4; cursor: default; background: none; }
.graphiql-tab[data-page-open] { box-shadow: inset 0 2px hsl(var(--color-primary)); }
</style>`;

/**
 * Marks every example's tab with its page, once, when GraphiQL has drawn them; tabs that
 * somebody adds, closes or drags change nothing of that.
 */
const SCRIPT = `<script>
{
  const pages = [...document.querySelectorAll('#header button')];
  const pageOfTab = document.querySelector('#header nav').dataset.pageOfTab.split(' ');
  const tabsOf = (page) => [...document.querySelectorAll('.graphiql-tab[data-page="' + page + '"]')];
  let marked = false;
  let shown;
  const follow = () => {
    const tabs = [...document.querySelectorAll('.graphiql-tab')];
    if (!marked && tabs.length < pageOfTab.length) return;
    if (!marked) tabs.forEach((tab, index) => { tab.dataset.page = pageOfTab[index]; });
    marked = true;
    const active = document.querySelector('.graphiql-tab-active');
    const page = active?.dataset.page;
    for (const tab of tabs) tab.toggleAttribute('data-page-open', tab.dataset.page === page);
    for (const button of pages) {
      button.ariaCurrent = button.value === page ? 'true' : null;
      button.disabled = tabsOf(button.value).length === 0;
    }
    // The whole page if it fits, but the open tab in any case.
    for (const tab of active === shown ? [] : [tabsOf(page).at(-1), active]) {
      tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    shown = active;
  };
  for (const button of pages) {
    button.onclick = () => tabsOf(button.value)[0]?.querySelector('.graphiql-tab-button').click();
  }
  new MutationObserver(follow).observe(document.querySelector('#root'), {
    subtree: true, childList: true, attributeFilter: ['class'],
  });
}
</script>`;

const DEMO_KEY = `The key of the sandbox’s demo app is filled in under <b>Headers</b>. It goes to the payments
service and nowhere else.`;

const OWN_KEY = `Put the key of your app under <b>Headers</b>: <code>Authorization: Bearer &lt;key of your app&gt;</code>.
It goes to the payments service and nowhere else. The ids in the examples are the sandbox’s.`;

/**
 * Puts a header above GraphiQL: whose key is sent, the way to the diagram, and the pages
 * that the examples belong to. `pageOfTab` names the page of each tab, in their order.
 */
export function addHeader(html: string, pageOfTab: readonly string[], demo: boolean): string {
  return html
    .replace('</head>', (end) => STYLE + end)
    .replace('<div id="root"></div>', (root) => renderHeader(pageOfTab, demo) + root + SCRIPT);
}

/** The diagram opens beside GraphiQL, which would forget what was typed. */
function renderHeader(pageOfTab: readonly string[], demo: boolean): string {
  const pages = [...new Set(pageOfTab)];
  const indexes = pageOfTab.map((page) => pages.indexOf(page));
  const buttons = pages.map(
    (page, index) => `<button value="${index}">${escapeHtml(page)}</button>`,
  );
  return `<header id="header">
<p>${demo ? DEMO_KEY : OWN_KEY}</p>
<a href="/schema" target="_blank">See the schema as a diagram</a>
<nav aria-label="Examples by page" data-page-of-tab="${indexes.join(' ')}">Examples: ${buttons.join('')}</nav>
</header>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
