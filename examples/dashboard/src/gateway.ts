import type { TypedDocumentString } from './gql/graphql.ts';

/** Where people sign in and out. To use another identity provider, change this file only. */
export const SIGN_IN = '/issuer/sign-in';
export const SIGN_OUT = '/issuer/sign-out';
const RENEW_MS = 30_000;

/** Only in memory, so that nothing else in this browser can find the token. */
let session: { access_token: string; name: string; scope: string; expiresAt: number } | undefined;

/** The session of the person who is signed in, if somebody is. Its token is still valid. */
export async function openSession() {
  if (session !== undefined && session.expiresAt - Date.now() > RENEW_MS) return session;
  const response = await fetch('/issuer/token', { method: 'POST' });
  const grant = response.ok ? await response.json() : undefined;
  session = grant && { ...grant, expiresAt: Date.now() + grant.expires_in * 1_000 };
  return session;
}

/** What the gateway returns: data, errors or both. */
export interface Answer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** Sends a query or a mutation. If no answer arrives, that is an error too. */
export async function execute<Data, Variables>(
  query: TypedDocumentString<Data, Variables>,
  variables: Variables,
): Promise<Answer<Data>> {
  try {
    return await (await post('/graphql', { query, variables })).json();
  } catch (error) {
    return { errors: [{ message: `No valid answer arrived. ${error}` }] };
  }
}

/** Sends a request to the gateway with the token of the person. */
export async function post(path: string, body: object) {
  const token = (await openSession())?.access_token;
  if (token === undefined) throw new Error('You are signed out. Reload the page to sign in.');
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
}
