import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { packageFile } from '../../../../package-files.ts';
import type { GatewayState } from '../../../telemetry/gateway-state.ts';
import { wantsPage } from '../../accept.ts';
import { escapeHtml } from '../page-files.ts';
import { type About, type Part, readStatus, type Status } from './status.ts';

/** The page, and the policy that lets it use its own styles and nothing else. */
export interface StatusPage {
  readonly html: string;
  readonly policy: string;
}

const CSS = packageFile('src/gateway/http/pages/status/status.css');
let styles: { readonly css: string; readonly digest: string } | undefined;

/** The status of a gateway for people. */
function statusPage(status: Status): StatusPage {
  styles ??= readStyles();
  const { css, digest } = styles;
  const links = Object.entries(status.links).map(
    ([name, address]) => `<li><a href="${escapeHtml(address)}">${escapeHtml(name)}</a></li>`,
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tillgraph: ${status.status}</title>
<style>${css}</style>
</head>
<body>
<main>
<h1>Tillgraph</h1>
<p>Version ${escapeHtml(status.version)} on Node ${escapeHtml(status.node)}, since <time datetime="${status.started}">${status.started}</time>.${status.sandbox ? ' The services are the sandbox.' : ''}</p>
<h2>Parts</h2>
<ul class="parts">
${status.parts.map(showPart).join('\n')}
</ul>
<h2>Links</h2>
<ul>
${links.join('\n')}
</ul>
<p><small>Read at ${status.now}. With <code>accept: application/json</code>, this address returns the same for programs.</small></p>
</main>
</body>
</html>
`;
  return { html, policy: `default-src 'none'; style-src 'sha256-${digest}'; ${NOTHING_ELSE}` };
}

function readStyles() {
  const css = readFileSync(CSS, 'utf8');
  return { css, digest: createHash('sha256').update(css).digest('base64') };
}

const NOTHING_ELSE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function showPart({ name, state, detail, address }: Part): string {
  const where = address === undefined ? '' : ` <small>${escapeHtml(address)}</small>`;
  return `<li><p><strong>${escapeHtml(name)}</strong> <span class="state ${state}">${state}</span></p><p>${escapeHtml(detail)}${where}</p></li>`;
}

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
