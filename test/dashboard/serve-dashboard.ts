import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { installPackages } from '../support/install-packages.ts';

const folder = fileURLToPath(new URL('../../examples/dashboard/', import.meta.url));

/** Installs the packages of the dashboard, and runs the script that its README names. */
export async function buildDashboard(): Promise<void> {
  await installPackages(folder);
  // With the `NODE_ENV` of vitest, Vite would bundle the development version of React.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)('npm', ['run', 'build'], { cwd: folder, env });
}

/** The lines that people write, without blank lines and comments. The issuer is beside it. */
export function countLines(): number {
  const sources = readdirSync(`${folder}src`).filter((name) => name !== 'gql');
  const files = ['index.html', ...sources.map((name) => `src/${name}`)];
  const lines = files.flatMap((name) => readFileSync(folder + name, 'utf8').split('\n'));
  return lines.filter((line) => !/^\s*(\/\/|\/\*\*|\*|$)/.test(line)).length;
}

/** The settings of `gateway.env`, for the issuer at an address. */
export function readGatewayEnv(issuerUrl: string, paymentsKey: string) {
  const given = parseEnv(readFileSync(`${folder}gateway.env`, 'utf8'));
  const { pathname } = new URL(given.JWT_JWKS_URL ?? '');
  const changes = { JWT_JWKS_URL: issuerUrl + pathname, PAYMENTS_API_KEY: paymentsKey };
  return readGatewaySettings({ ...given, ...changes });
}

/** The functions of Vite that are used here. Its types are there only after the installation. */
interface Vite {
  preview(options: object): Promise<{ middlewares: RequestListener; close(): Promise<void> }>;
}

/**
 * Serves the built dashboard as `vite preview` does, with the development issuer, in front of the
 * gateway that `startGateway` starts for the address of the dashboard.
 */
export async function serveDashboard(startGateway: (url: string) => Promise<string>) {
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = await startGateway(url);
  const vitePath = createRequire(`${folder}package.json`).resolve('vite');
  const { preview }: Vite = await import(pathToFileURL(vitePath).href);
  const proxy = { '/graphql': target, '/export': target };
  const vite = await preview({ root: folder, preview: { port: 0, strictPort: false, proxy } });
  answer = vite.middlewares;
  return {
    url,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await vite.close();
    },
  };
}
