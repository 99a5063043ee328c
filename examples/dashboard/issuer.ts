import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Connect, Plugin } from 'vite';

/** People of the sandbox. Ben sees one of its merchants, and moves no money. */
const people = new Map<string, { name: string; scope: string; merchants: string | string[] }>([
  ['anna', { name: 'Anna', scope: 'payments:read payments:write users:read', merchants: '*' }],
  ['ben', { name: 'Ben', scope: 'payments:read', merchants: ['6a1d3c007469000061c5ff45'] }],
]);

const LIFETIME_S = 5 * 60;
const LOOPBACK = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];

/**
 * FOR DEVELOPMENT ONLY: anyone can sign in as anyone, without a password. It is a part of the
 * servers of Vite, not of the dashboard, and answers this machine only.
 */
export function developmentIssuer(): Plugin {
  const start = async ({ middlewares }: { middlewares: Connect.Server }) => {
    middlewares.use('/issuer', await createIssuer());
  };
  return { name: 'development-issuer', configureServer: start, configurePreviewServer: start };
}

async function createIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const key = { ...(await exportJWK(publicKey)), alg: 'ES256', kid: crypto.randomUUID() };

  async function grant(sub: string) {
    const person = people.get(sub);
    if (person === undefined) return null;
    const { name, scope, merchants } = person;
    const token = await new SignJWT({ sub, scope, merchants })
      .setProtectedHeader({ alg: key.alg, kid: key.kid })
      .setIssuer('development-issuer')
      .setAudience('tillgraph')
      .setExpirationTime(`${LIFETIME_S} s`)
      .sign(privateKey);
    return { access_token: token, expires_in: LIFETIME_S, name, scope };
  }

  return async (request: IncomingMessage, response: ServerResponse) => {
    const send = (type: string, body: string) =>
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    const isLocal = LOOPBACK.includes(request.socket.remoteAddress ?? '');
    const signedIn = /development=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    switch (isLocal && `${request.method} ${request.url}`) {
      case 'GET /jwks.json':
        return send('application/json', JSON.stringify({ keys: [key] }));
      case 'POST /token':
        return send('application/json', JSON.stringify(await grant(signedIn)));
      case 'GET /sign-in':
        return send('text/html; charset=utf-8', PAGE);
      case 'POST /sign-in':
        return signIn(response, new URLSearchParams(await text(request)).get('person') ?? '');
      case 'POST /sign-out':
        return signIn(response, '');
      default:
        return response.writeHead(404).end();
    }
  };
}

/** Scripts cannot read the cookie, and other websites cannot use it. */
function signIn(response: ServerResponse, person: string) {
  const cookie = `development=${encodeURIComponent(person)}; Path=/issuer; HttpOnly; SameSite=Strict`;
  return response.writeHead(303, { 'set-cookie': cookie, location: '/' }).end();
}

const PAGE = `<!doctype html><html lang="en"><title>For development only</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="/icon.svg"><meta name="color-scheme" content="light dark">
<main><h1>For development only</h1><p>Sign in as anyone, without a password.</p>
<form method="post">${[...people]
  .map(
    ([id, { name, scope }]) => `<p><button name="person" value="${id}">${name}: ${scope}</button>`,
  )
  .join('')}</form></main></html>`;
