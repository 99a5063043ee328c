import { onRecordsChanged } from './changes.js';
import { call } from './interface.js';

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
