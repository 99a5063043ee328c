import { byId } from './element.js';

const FIRST = 'overview';

/** Shows the view that the address names, and hides the others. */
export function startViews() {
  const views = [...document.querySelectorAll('main > section')];
  const links = [...document.querySelectorAll('nav a')];
  const show = (name) => {
    for (const view of views) view.hidden = view.id !== name;
    for (const link of links) {
      if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    document.querySelector('nav [aria-current]').scrollIntoView({ block: 'nearest' });
  };
  const nameOf = () => location.hash.slice(1);
  const isView = () => views.some(({ id }) => id === nameOf());
  show(isView() ? nameOf() : FIRST);
  window.addEventListener('hashchange', () => {
    if (!isView()) return;
    show(nameOf());
    window.scrollTo(0, 0);
    byId(`${nameOf()}-title`).focus({ preventScroll: true });
  });
}
