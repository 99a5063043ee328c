import type { IncomingMessage } from 'node:http';
import { httpError } from '../http/http-error.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Whether a server on this host can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host) || host === '::1';
}

/**
 * Returns the check that every request to the control interface must pass. Any web page can send
 * requests to a loopback address: they have the origin of that page, or, if a name of that page
 * resolves to the address, its name as the host.
 */
export function createAdmit(listensOn: string): (message: IncomingMessage) => void {
  return ({ headers: { host = '', origin } }) => {
    if (isLoopback(listensOn) && !LOOPBACK.test(host)) {
      throw httpError(403, 'The header `host` must name a loopback address');
    }
    if (origin !== undefined && origin !== `http://${host}`) {
      throw httpError(403, 'Pages of other origins may not use the control interface');
    }
  };
}
