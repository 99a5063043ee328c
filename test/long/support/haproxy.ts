import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { startProcess } from '../../support/process.ts';
import { emptyFolder } from '../../support/program.ts';

/** A load balancer in front of gateways. */
export interface Balancer {
  readonly url: string;
  /** How many gateways are ready, as far as the balancer knows. */
  readyCount(): Promise<number>;
  /** Stops it. Returns its log of what was not normal. */
  stop(): Promise<string>;
}

/**
 * Nothing is repeated, so that a client sees every failure of a gateway. One failed check is
 * enough, so that a gateway gets no more requests long before it ends. One that is only slow stays.
 */
function configure(port: number, socket: string, gatewayPorts: readonly number[]): string {
  const servers = gatewayPorts.map((each) => `  server gateway${each} 127.0.0.1:${each} check`);
  return `
global
  stats socket ${socket}
  log stdout format raw local0
defaults
  log global
  option httplog
  option dontlog-normal
  mode http
  retries 0
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 5s
listen gateways
  bind 127.0.0.1:${port}
  balance roundrobin
  option httpchk GET /ready
  http-check expect status 200
  default-server inter 500ms fall 1 rise 2
${servers.join('\n')}
`;
}

/** Starts haproxy, which asks each gateway whether it is ready; stopped when the test ends. */
export async function startBalancer(gatewayPorts: readonly number[]): Promise<Balancer> {
  const folder = emptyFolder();
  const socket = join(folder, 'stats.socket');
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configure(port, socket, gatewayPorts));
  const running = startProcess('haproxy', ['-db', '-f', file]);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => (await running.stop()).stdout,
    readyCount: async () => {
      const lines = (await command(socket, 'show stat')).split('\n');
      return lines.filter((line) => /^gateways,gateway\d+,.*,UP,/.test(line)).length;
    },
  };
}

/** Sends a command to haproxy. The answer is empty until haproxy has started. */
async function command(path: string, text: string): Promise<string> {
  const socket = connect(path);
  let answer = '';
  try {
    socket.end(`${text}\n`);
    for await (const chunk of socket) answer += chunk;
  } catch {
    return '';
  }
  return answer;
}
