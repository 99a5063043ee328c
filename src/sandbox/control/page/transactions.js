import { byId, element } from './element.js';

const MAX = 50;

/** Offers a transaction in the fields that ask for the id of one. */
export function offerTransaction(id, text) {
  const list = byId('transactions');
  list.prepend(element('option', { value: id }, text));
  list.children[MAX]?.remove();
}
