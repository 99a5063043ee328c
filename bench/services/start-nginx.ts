import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { type Place, startChild } from '../process.ts';
import type { Request } from '../scenarios.ts';
import * as records from './records.ts';
import type { Upstream } from './start-built-in.ts';

/** Starts nginx with a file for each answer that the requests need. */
export async function startNginx(requests: readonly Request[], place: Place): Promise<Upstream> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-nginx-'));
  writeAnswers(folder, requests);
  const port = await freePort();
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port));
  const child = await startChild({
    command: 'nginx',
    args: ['-p', folder, '-c', join(folder, 'nginx.conf')],
    place,
    ready: /start worker process \d+/,
  });
  return {
    name: 'nginx',
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeAnswers(folder: string, requests: readonly Request[]): void {
  const written = new Set<string>();
  const write = (directory: string, id: string, record: () => unknown) => {
    const file = join(folder, directory, `${id}.json`);
    if (written.has(file)) return;
    if (!written.has(directory)) mkdirSync(join(folder, directory), { recursive: true });
    written.add(directory).add(file);
    writeFileSync(file, JSON.stringify(record()));
  };
  const writeMerchant = (id: string) => {
    for (const sender of ['a', 'b'] as const) {
      write(`merchant-${sender}`, id, () => records.merchant(id, sender));
    }
  };
  for (const { ask } of requests) {
    if (ask.kind === 'capture') throw new Error('nginx takes no captures.');
    const { id, first } = ask;
    writeMerchant(id);
    if (ask.kind === 'merchant') {
      write(`transactions-${first}`, id, () => records.transactionsOf(id, first));
      continue;
    }
    const lines = records.linesOf(id, first);
    write(`lines-${first}`, id, () => lines);
    for (const { merchantId, transactionId } of lines) {
      writeMerchant(merchantId);
      write('transaction', transactionId, () => records.transaction(transactionId));
    }
  }
}

/** nginx serves files as fast as it can, and never closes a connection that is in use. */
function configuration(folder: string, port: number): string {
  const senders = (['a', 'b'] as const).flatMap((sender) =>
    records.authorizations(sender).map((header) => `"${header}" ${sender};`),
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  return `
daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${join(folder, 'nginx.pid')};
error_log stderr notice;
events { worker_connections 4096; }
http {
  access_log off;
  default_type application/json;
  keepalive_timeout 600s;
  keepalive_requests 1000000000;
  open_file_cache max=40000 inactive=600s;
  open_file_cache_valid 600s;
  ${temporary.join(' ')}
  map $http_authorization $sender { default none; ${senders.join(' ')} }
  server {
    listen 127.0.0.1:${port};
    root ${folder};
    location ~ ^/merchants/([0-9a-f]+)$ { try_files /merchant-$sender/$1.json =404; }
    location ~ ^/merchants/([0-9a-f]+)/(transactions|lines)$ { try_files /$2-$arg_limit/$1.json =404; }
    location ~ ^/transactions/([0-9a-f]+)$ { try_files /transaction/$1.json =404; }
    location / { return 404; }
  }
}
`;
}
