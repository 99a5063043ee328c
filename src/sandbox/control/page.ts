import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { currencies } from '../../currencies.ts';
import { packageFile } from '../../package-files.ts';
import { httpError } from '../http/http-error.ts';
import { type HttpResponse, jsonResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { activeCurrencies } from '../payments/chargeable-currencies.ts';

const folder = packageFile('src/sandbox/control/page/');

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** Forbids everything that is not listed, and scripts that write HTML. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The page of the control interface and the files that it loads, which are read on request. */
export function pageRoutes(): Route[] {
  return [
    { method: 'GET', path: '/', handle: async () => serve('.html', readPage()) },
    {
      method: 'GET',
      path: '/page/currencies.json',
      handle: async () => jsonResponse(200, currencyChoices()),
    },
    {
      method: 'GET',
      path: '/page/:file',
      handle: async ({ params: { file = '' } }) => {
        const ending = extname(file);
        if (types[ending] !== undefined && readdirSync(folder).includes(file)) {
          return serve(ending, read(file));
        }
        throw httpError(404, 'This file does not exist');
      },
    },
  ];
}

/** Every currency, with whether payments can be made in it. */
function currencyChoices() {
  const active = new Set(activeCurrencies);
  return Object.fromEntries(
    [...currencies].map(([code, currency]) => [
      code,
      { ...currency, chargeable: active.has(code) },
    ]),
  );
}

/** Reads the page. Comments in it name the files of its largest views. */
function readPage(): string {
  return read('page.html').replace(/<!-- (\w+\.html) -->\n/g, (_, file) => read(file));
}

function read(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8');
}

function serve(ending: string, body: string): HttpResponse {
  return {
    status: 200,
    headers: {
      'content-type': `${types[ending] ?? 'text/html'}; charset=utf-8`,
      'content-security-policy': policy,
      'referrer-policy': 'same-origin',
    },
    body,
  };
}
