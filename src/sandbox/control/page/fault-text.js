import { merchantById, merchantName } from './merchants.js';
import { duration } from './time.js';

/** What each kind of fault does, in a sentence. */
export const kindTexts = {
  delay: 'The request is handled after a delay.',
  status: 'The response has this status.',
  drop: 'The connection is closed without a response.',
  silence: 'There is no response, and the connection stays open.',
  truncate: 'Half of the response is sent, then the connection is closed.',
  garble: 'The body has the same length, but is not JSON.',
  stale: 'A read shows the records as they were some time ago.',
  rateLimit: 'Responds with 429 once a period has had its requests.',
};

const names = {
  delay: ({ delayMs }) => `Delay of ${duration(delayMs)}`,
  status: ({ status }) => `Status ${status}`,
  drop: () => 'Drop',
  silence: () => 'Silence',
  truncate: () => 'Truncate',
  garble: () => 'Garble',
  stale: ({ agoMs }) => `Stale by ${duration(agoMs)}`,
  rateLimit: ({ requests, periodMs }) => `Rate limit of ${requests} in ${duration(periodMs)}`,
};

/** What a fault does, in a few words. */
export function faultName(fault) {
  return names[fault.kind](fault);
}

/** Which requests a fault is for. */
export function faultTarget({ service, method, route }) {
  if (route === undefined && method === undefined) {
    return service === undefined ? 'all requests' : `all requests to ${service}`;
  }
  const operation = [method, route].filter((part) => part !== undefined).join(' ');
  return service === undefined ? operation : `${service}: ${operation}`;
}

/** Everything else that a fault says, in a few words each. */
export function faultDetails({ kind, delayMs, merchantId, every, next, applied, retryAfter }) {
  const merchant = merchantId && (merchantById(merchantId) ?? { id: merchantId, name: null });
  return [
    delayMs !== undefined && kind !== 'delay' && `after ${duration(delayMs)}`,
    merchant && `merchant ${merchantName(merchant)}`,
    every !== undefined && `1 of ${every} requests`,
    next !== undefined && `${next} request${next === 1 ? '' : 's'} at most`,
    applied && 'the request is applied first',
    retryAfter !== undefined && `retry after ${duration(retryAfter * 1000)}`,
  ].filter(Boolean);
}
