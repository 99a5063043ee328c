import type { IncomingMessage, ServerResponse } from 'node:http';
import { wantsPage } from '../http/accept.ts';
import type { GatewayState } from '../observe/gateway-state.ts';
import { type About, readStatus } from './status.ts';
import { statusPage } from './status-page.ts';

/** Serves the status at `/`: a page for people, and JSON for programs. */
export function createServeStatus(about: About, gateway: GatewayState) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const status = readStatus(about, gateway);
    const isPage = wantsPage(request.headers.accept);
    const page = isPage ? statusPage(status) : undefined;
    const body = page?.html ?? `${JSON.stringify(status, null, 2)}\n`;
    response.writeHead(200, {
      'content-type': `${isPage ? 'text/html' : 'application/json'}; charset=utf-8`,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      vary: 'accept',
      ...(page === undefined ? {} : { 'content-security-policy': page.policy }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}
