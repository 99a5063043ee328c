/**
 * Creates an element. Children are elements or texts. Records can have any text, so no text ever
 * becomes HTML.
 */
export function element(name, attributes = {}, ...children) {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute.startsWith('on')) created.addEventListener(attribute.slice(2), value);
    else if (value !== undefined) created.setAttribute(attribute, value);
  }
  created.append(...children.filter((child) => child !== undefined));
  return created;
}

/** Returns the element of the page with this id. */
export function byId(id) {
  return document.getElementById(id);
}
