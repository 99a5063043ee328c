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
 * which a reverse proxy can serve below a path of its own.
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
