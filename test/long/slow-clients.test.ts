import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { reasonToSkip } from '../support/installed.ts';
import { startProcess } from '../support/process.ts';
import { createClient, openServices } from './support/gateway-programs.ts';
import { median, p99, reasons, type Sent, sendAtRate } from './support/traffic.ts';

/** `ROUNDS=1` makes a short run. */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SOCKETS = 1_000;
const WARM_UP_S = 4;
const ATTACKED_S = 9;
const PER_SECOND = 200;
/**
 * A thousand connections are opened and closed in a short time, which takes time however fast
 * their clients are. The requests between these moments are compared.
 */
const OPENED_AFTER_MS = 5_500;
const CLOSED_AFTER_MS = 8_500;
const HEADERS_MS = 10_000;
const REQUEST_MS = 15_000;
const KEEP_ALIVE_MS = 65_000;
/** How often the gateway looks for slow clients, and what a busy machine needs. */
const TOLERANCE_MS = 2_000;

const why = reasonToSkip({ slowhttptest: '-h' });
if (why !== '') console.warn(`The slow clients of slowhttptest${why}`);

/** A mode of slowhttptest. */
interface Mode {
  /** The largest file of GraphiQL if left out. */
  readonly path?: string;
  readonly args: readonly string[];
  readonly connectionsPerSecond: number;
  /** How many connections are open at the same time, at least. The gateway closes the others. */
  readonly kept: number;
}

const modes: Record<string, Mode> = {
  'send their headers slowly': {
    path: '/graphql',
    args: ['-H', '-i', '3'],
    connectionsPerSecond: 200,
    kept: 500,
  },
  'send their bodies slowly': {
    path: '/graphql',
    args: ['-B', '-i', '3', '-f', 'application/json', '-x', '8'],
    connectionsPerSecond: 200,
    kept: 500,
  },
  // Refused at once, so they come during the complete round.
  'ask for thousands of ranges': {
    path: '/graphql',
    args: ['-R', '-a', '1', '-b', '3000'],
    connectionsPerSecond: 110,
    kept: 0,
  },
  // The gateway sends its largest file to a few clients at the same time.
  'read their responses slowly': {
    args: ['-X', '-n', '1', '-z', '32', '-w', '512', '-y', '1024'],
    connectionsPerSecond: 200,
    kept: 50,
  },
};

/** The path of the largest file that GraphiQL loads. */
async function largestFile(url: string): Promise<string> {
  const page = await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text();
  const paths = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
  const sizes = await Promise.all(
    paths.map(async (path) => (await (await fetch(url + path)).arrayBuffer()).byteLength),
  );
  return paths[sizes.indexOf(Math.max(...sizes))] ?? '';
}

/** Starts slow clients. Resolves when they have ended, with what slowhttptest reports. */
async function attack(url: string, { args, connectionsPerSecond }: Mode) {
  const common = [
    '-c',
    `${SOCKETS}`,
    '-r',
    `${connectionsPerSecond}`,
    '-l',
    `${ATTACKED_S}`,
    '-u',
    url,
  ];
  // On a machine of their own, they would not take time from the gateway.
  const nice = ['-n', '19', 'slowhttptest', ...args, ...common];
  const { stdout } = await startProcess('nice', nice).ended;
  const report = stripVTControlCharacters(stdout);
  const counts = [...report.matchAll(/connected: +(\d+)/g)].map(([, count]) => Number(count));
  return {
    connected: Math.max(...counts),
    isAvailable: !/service available: +NO/.test(report),
  };
}

/** Returns whether a request was sent while no slow client was connected or disconnected. */
function duringAttack(attackedAt: number) {
  return ({ at }: Sent) => at > attackedAt + OPENED_AFTER_MS && at < attackedAt + CLOSED_AFTER_MS;
}

describe(`slow clients${why}`, () => {
  test.skipIf(why !== '').each(Object.entries(modes))(
    `${SOCKETS} clients that %s make others wait at most 10 % and 5 ms longer`,
    async (name, mode) => {
      const start = await openServices();
      const { url } = await start();
      const target = url + (mode.path ?? (await largestFile(url)));
      // A gateway without slow clients gets its requests at the same moments, so that a pause of
      // the machine delays both.
      const calm = await start();
      const [query, calmQuery] = [createClient(url), createClient(calm.url)];
      const sendUntil = (end: Promise<unknown>) =>
        Promise.all([sendAtRate(query, PER_SECOND, end), sendAtRate(calmQuery, PER_SECOND, end)]);
      // The first requests wait until the code is compiled.
      await sendUntil(sleep(WARM_UP_S * 1_000));
      const ratios: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const isCounted = duringAttack(performance.now());
        const attacked = attack(target, mode);
        const [sent, calmSent] = await sendUntil(attacked);
        const report = await attacked;
        const slower = p99(sent.filter(isCounted));
        const usual = p99(calmSent.filter(isCounted));
        console.info(
          `${name}: p99 ${usual.toFixed(1)} ms, with slow clients ${slower.toFixed(1)} ms`,
          report,
        );
        expect([reasons(sent), reasons(calmSent)]).toEqual([{}, {}]);
        expect(report.isAvailable).toBe(true);
        expect(report.connected).toBeGreaterThanOrEqual(mode.kept);
        ratios.push((slower - 5) / usual);
      }
      expect(median(ratios)).toBeLessThan(1.1);
    },
  );
});

/** Sends a text, and then a byte again and again. Returns after how long it was disconnected. */
async function drip(url: string, text: string): Promise<number> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const start = performance.now();
  socket.write(text);
  const timer = setInterval(() => text !== '' && socket.write('x'), 500);
  try {
    for await (const _chunk of socket);
  } catch {
    // A byte was sent after the gateway had closed the connection.
  } finally {
    clearInterval(timer);
  }
  return performance.now() - start;
}

const HEAD = 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';

test('a client is disconnected after 10 s without all headers, 15 s without a body, and 65 s without a byte', async () => {
  const start = await openServices();
  const { url } = await start();
  const [silent = 0, header = 0, body = 0] = await Promise.all([
    drip(url, ''),
    drip(url, `${HEAD}x-slow: `),
    drip(url, `${HEAD}content-length: 4096\r\n\r\n`),
  ]);
  console.info(
    `disconnected after ${[silent, header, body].map((ms) => ms.toFixed()).join(', ')} ms`,
  );
  expect(header).toBeLessThan(HEADERS_MS + TOLERANCE_MS);
  expect(body).toBeLessThan(REQUEST_MS + TOLERANCE_MS);
  expect(body).toBeGreaterThan(HEADERS_MS);
  // As long as a connection on which there were requests before.
  expect(silent).toBeLessThan(KEEP_ALIVE_MS + TOLERANCE_MS);
  expect(silent).toBeGreaterThan(HEADERS_MS);
});
