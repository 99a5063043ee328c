// A reload shows the tabs as they were, without their headers: these contain a key, so they are
// not stored. A new visit starts with the examples, and the query in its address, if there is one.
{
  // An origin can have several gateways, each below a path of its own.
  const KEPT = `tillgraph:tabs:${location.pathname}`;
  const nav = document.querySelector('#header nav');

  /** What GraphiQL stores, which it would not recognise without the headers. */
  const clearStored = () => {
    for (const name of ['tabState', 'query', 'variables', 'headers']) {
      localStorage.removeItem(`graphiql:${name}`);
    }
  };

  const readKept = () => {
    const [visit] = performance.getEntriesByType('navigation');
    if (visit?.type === 'navigate') sessionStorage.removeItem(KEPT);
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? undefined;
  };

  const keep = ({ tabs, activeTabIndex }) => {
    const drawn = [...document.querySelectorAll('.graphiql-tab')];
    const kept = {
      active: activeTabIndex,
      groupOfTab: drawn.map(({ dataset }) => dataset.group ?? '').join(' '),
      tabs: tabs.map(({ query, variables }) => ({ query, variables })),
    };
    sessionStorage.setItem(KEPT, JSON.stringify(kept));
  };

  /** Opens a tab as soon as GraphiQL can show it. */
  const open = (index) => {
    const root = document.querySelector('#root');
    new MutationObserver((_changes, observer) => {
      const tab = root.querySelectorAll('.graphiql-tab-button')[index];
      const isReady = monacoEditorsOf(root).every((editor) => editor !== null);
      if (tab === undefined || !isReady) return;
      observer.disconnect();
      tab.click();
    }).observe(root, { subtree: true, childList: true });
  };

  const monacoEditorsOf = (root) =>
    ['.graphiql-query-editor', '.graphiql-editor-tool', '.graphiql-response'].map((pane) =>
      root.querySelector(`${pane} .monaco-editor`),
    );

  /** Completes the options of GraphiQL. */
  globalThis.keepTabs = (options) => {
    clearStored();
    const { defaultHeaders: headers } = options;
    const kept = readKept();
    let { defaultTabs } = options;
    let active = 0;
    const address = new URLSearchParams(location.search);
    if (kept !== undefined) {
      defaultTabs = kept.tabs.map((tab) => ({ ...tab, headers }));
      active = kept.active;
      nav.dataset.groupOfTab = kept.groupOfTab;
    } else if (address.has('query')) {
      const [query, variables] = [address.get('query'), address.get('variables')];
      active = defaultTabs.length;
      defaultTabs = [...defaultTabs, { query, variables, headers }];
    }
    if (active > 0) open(active);
    history.replaceState(null, '', location.pathname);
    let state;
    const keepState = () => state && keep(state);
    addEventListener('pagehide', keepState);
    // A browser may end a page that is hidden, without another event.
    document.addEventListener('visibilitychange', keepState);
    return {
      ...options,
      defaultTabs,
      // Of the first tab. Those of the others are shown when they are opened.
      variables: defaultTabs[0].variables ?? '',
      onTabChange: (changed) => {
        state = changed;
      },
      // GraphiQL would write each text into the address. A reload would send it to the gateway.
      onEditQuery: () => {},
    };
  };
}

// Starts GraphiQL with the options that the page contains.
YogaGraphiQL.renderYogaGraphiQL(
  document.querySelector('#root'),
  keepTabs(JSON.parse(document.querySelector('#options').textContent).graphiql),
);

// Names the close button of each tab, which GraphiQL calls "Close Tab" in every tab, and keeps
// the active tab visible when the bar becomes narrower.
{
  const nameButtons = () => {
    for (const tab of document.querySelectorAll('.graphiql-tab')) {
      const title = tab.querySelector('.graphiql-tab-button').textContent;
      tab.querySelector('.graphiql-tab-close')?.setAttribute('aria-label', `Close ${title}`);
    }
  };

  const showActive = () => {
    const active = document.querySelector('.graphiql-tab-active');
    active?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };

  const watch = (bar) => {
    nameButtons();
    new MutationObserver(nameButtons).observe(bar, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    new ResizeObserver(showActive).observe(bar);
  };

  new MutationObserver((_changes, observer) => {
    const bar = document.querySelector('.graphiql-tabs');
    if (bar === null) return;
    observer.disconnect();
    watch(bar);
  }).observe(document.querySelector('#root'), { subtree: true, childList: true });
}

// A browser compiles 5 MB of GraphiQL at every visit until it keeps the compiled code, and
// Chromium keeps it when a script is loaded for the second time. So the script is loaded a second
// time, from the cache, when the first visit has time. It does not run again.
{
  const { bundle } = JSON.parse(document.querySelector('#options').textContent);
  const load = () => {
    const script = document.createElement('script');
    script.src = bundle;
    document.body.append(script);
  };
  addEventListener('load', () => {
    // Safari has no `requestIdleCallback`.
    if (self.requestIdleCallback) requestIdleCallback(load);
    else setTimeout(load);
  });
}
