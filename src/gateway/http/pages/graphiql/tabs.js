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
