import { element } from './element.js';

const SHOWN_MS = 1_500;

/** Copies a text. Returns what to say about it. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch {
    // Browsers allow it on a loopback address and with HTTPS only.
    return 'The browser does not allow copying here.';
  }
}

/** An id, with a button that copies it. */
export function copyable(id, what = 'id') {
  const button = element('button', { type: 'button', class: 'small' }, 'Copy');
  button.setAttribute('aria-label', `Copy ${what} ${id}`);
  const said = element('span', { role: 'status', class: 'hidden' });
  button.addEventListener('click', async () => {
    const result = await copyText(id);
    said.textContent = result;
    button.textContent = result === 'Copied.' ? 'Copied' : 'Not copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SHOWN_MS);
  });
  return element('span', { class: 'id' }, element('code', {}, id), button, said);
}
