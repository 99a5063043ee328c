import { byId } from './element.js';

const SILENT = 'The sandbox does not respond. Is it still running?';

/** The control interface rejected a call. Each error has a message, and perhaps a field. */
export class InterfaceError extends Error {
  constructor(errors) {
    super(errors.map(({ message }) => message).join(' '));
    this.errors = errors;
  }
}

/**
 * Calls the control interface and returns the body of its response. The path is below the page,
 * which a reverse proxy can serve below another path.
 */
export async function call(method, path, body) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`.${path}`, {
    method,
    body: text,
    headers: text === undefined ? {} : { 'content-type': 'application/json' },
  }).catch(() => undefined);
  showOffline(response === undefined);
  if (response === undefined) throw new InterfaceError([{ message: SILENT }]);
  const answer = await response.text();
  if (response.ok) return answer === '' ? undefined : JSON.parse(answer);
  throw new InterfaceError(errorsOf(answer));
}

/** The address of the control interface, as the visitor reaches it. */
export function interfaceAddress() {
  return (location.origin + location.pathname).replace(/\/$/, '');
}

function showOffline(offline) {
  const text = offline ? `${SILENT} The page tries again every few seconds.` : '';
  const shown = byId('offline');
  if (shown.textContent !== text) shown.textContent = text;
}

function errorsOf(answer) {
  const body = JSON.parse(answer);
  return (Array.isArray(body) ? body : [body]).map(({ field, message }) => ({
    field,
    // The interface writes no full stop.
    message: /[.!?]$/.test(message) ? message : `${message}.`,
  }));
}

/** Calls a function whenever records may have changed, and once now. */
export function onRecordsChanged(handle) {
  document.addEventListener('recordschanged', handle);
  handle();
}

/** Tells everything that shows records to read them again. */
export function recordsChanged() {
  document.dispatchEvent(new Event('recordschanged'));
}

/** Calls a function with the addresses, the demo app and its merchants, whenever they change. */
export function onSandbox(handle) {
  onRecordsChanged(async () => {
    try {
      handle(await read());
    } catch {
      // The page says that the sandbox does not respond.
    }
  });
}

let reading;

/** Several parts of the page ask at the same time. */
function read() {
  reading ??= call('GET', '/sandbox').finally(() => {
    reading = undefined;
  });
  return reading;
}

/**
 * Repeats work while the page is visible, at once when it becomes visible again. A failure is
 * shown where it happens, and the next repetition follows.
 */
export function repeat(work, everyMs) {
  let running = false;
  let timer;
  const run = async () => {
    clearTimeout(timer);
    if (running || document.hidden) return;
    running = true;
    await work().catch(() => {});
    running = false;
    timer = setTimeout(run, everyMs);
  };
  document.addEventListener('visibilitychange', run);
  void run();
}
