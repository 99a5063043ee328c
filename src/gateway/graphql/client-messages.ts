/**
 * Messages that clients see both as errors of a query and as typed errors of a mutation.
 * They contain no detail of a service's answer.
 */

/** The service answered 401, or the request has no key. */
export const UNAUTHENTICATED =
  'The app key is missing or not valid. Send the key of an app: `Authorization: Bearer <key>`, or Basic with an empty user name.';

/** The service answered 403. */
export const FORBIDDEN = 'This app has no access.';
