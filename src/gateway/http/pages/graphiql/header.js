// Marks the tab of each example with its group, once, when GraphiQL has drawn the tabs.
// Tabs that are added, closed or moved later do not change the marks.
{
  const buttons = [...document.querySelectorAll('#header nav button')];
  const groupOfTab = document.querySelector('#header nav').dataset.groupOfTab.split(' ');
  const tabsOf = (group) => [...document.querySelectorAll(`.graphiql-tab[data-group="${group}"]`)];
  let marked = false;
  let shown;

  const update = () => {
    const tabs = [...document.querySelectorAll('.graphiql-tab')];
    if (!marked && tabs.length < groupOfTab.length) return;
    if (!marked) {
      for (const [index, tab] of tabs.entries()) tab.dataset.group = groupOfTab[index] ?? '';
    }
    marked = true;
    const active = document.querySelector('.graphiql-tab-active');
    const group = active?.dataset.group;
    for (const tab of tabs) {
      tab.toggleAttribute('data-group-open', tab.dataset.group === group);
    }
    for (const button of buttons) {
      button.ariaCurrent = button.value === group ? 'true' : null;
      button.disabled = tabsOf(button.value).length === 0;
    }
    // Shows the complete group if it fits, and the open tab in any case.
    for (const tab of active === shown ? [] : [tabsOf(group).at(-1), active]) {
      tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    shown = active;
  };

  for (const button of buttons) {
    button.onclick = () => {
      tabsOf(button.value)[0]?.querySelector('.graphiql-tab-button').click();
    };
  }
  new MutationObserver(update).observe(document.querySelector('#root'), {
    subtree: true,
    childList: true,
    attributeFilter: ['class'],
  });
}
