import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { spawnProcess } from './process.ts';
import { scratchFolder } from './storage.ts';

/** A reverse proxy. */
export interface ReverseProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** The address of the server behind each path, such as `/payments/`. */
export type Routes = Readonly<Record<string, string>>;

/**
 * Starts a reverse proxy that serves each server below a path, and removes this path from its
 * requests. Like nginx without further settings, it replaces `Host`, passes `Location` on as it is,
 * and adds a slash to a path that lacks it.
 *
 * @param passesHost whether it passes `Host` on, too
 */
export async function startPrefixProxy(routes: Routes, passesHost = false): Promise<ReverseProxy> {
  const server = createServer((request, response) => {
    const { url = '', method, headers } = request;
    const found = Object.entries(routes).find(([path]) => url.startsWith(path));
    if (found === undefined) {
      const isFolder = Object.hasOwn(routes, `${url}/`);
      const location = isFolder ? { location: `${url}/` } : {};
      return void response.writeHead(isFolder ? 301 : 404, location).end();
    }
    const [path, target] = found;
    const address = new URL(`/${url.slice(path.length)}`, target);
    const host = passesHost ? headers.host : address.host;
    const passed = send(address, { method, headers: { ...headers, host } });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Starts nginx with the same routes, each of them with as few settings as possible. */
export async function startNginx(routes: Routes, passesHost = false): Promise<ReverseProxy> {
  const folder = scratchFolder();
  const port = await freePort();
  const host = passesHost ? 'proxy_set_header Host $http_host;' : '';
  const locations = Object.entries(routes).map(
    ([path, target]) => `location ${path} { proxy_pass ${target}/; ${host} }`,
  );
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  mkdirSync(join(folder, 'logs'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off;
master_process off;
pid ${join(folder, 'pid')};
error_log stderr notice;
events {}
http {
  access_log off;
  ${kept.join(' ')}
  server {
    listen 127.0.0.1:${port};
    ${locations.join('\n    ')}
  }
}
`,
  );
  const running = spawnProcess('nginx', ['-p', folder, '-e', 'stderr', '-c', file]);
  await running.reported(/nginx\//);
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await running.stop();
    },
  };
}
