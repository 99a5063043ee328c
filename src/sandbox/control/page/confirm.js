import { byId } from './element.js';

/** Asks whether to do what cannot be undone. Resolves to the answer. */
export function confirmed({ title, text, button }) {
  const dialog = byId('confirm');
  byId('confirm-title').textContent = title;
  byId('confirm-text').textContent = text;
  byId('confirm-yes').textContent = button;
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    const onClose = () => resolve(dialog.returnValue === 'yes');
    dialog.addEventListener('close', onClose, { once: true });
  });
}
