import type { ServiceName } from '../upstream/rest-error.ts';

/**
 * Messages that clients see both in `errors` and in the typed errors of mutations. They reveal
 * nothing of a service's response.
 */

/** The service responded with 401, or the request has no key. */
export const UNAUTHENTICATED =
  'The app key is missing or not valid. Send the header `Authorization: Bearer <app key>`, or Basic authentication with an empty user name and the app key as the password.';

/** The service responded with 403. */
export const FORBIDDEN = 'This app has no access.';

const serviceNames = { users: 'user-records', payments: 'payments' };

/** The name of the service, to start a message. */
export function nameService(service: ServiceName): string {
  return `The ${serviceNames[service]} service`;
}

/** The service could not be reached, or responded that it cannot process requests now. */
export function unavailable(service: ServiceName): string {
  return `${nameService(service)} is not available.`;
}

/** The breaker is open. */
export function stopped(service: ServiceName): string {
  return `${unavailable(service)} After failed calls, the gateway does not call it for a few seconds.`;
}

/** The gateway did not make a call, or stopped reading. */
export const NOT_CALLED = {
  overloaded:
    'Too many calls to the services are in progress, or their responses are too large. Try again later.',
  deadline: 'The time limit of the request has passed. Request less at once, or try again.',
  limit:
    'The request needs too many calls to the services, or reads too much from them. Request less at once.',
} as const;
