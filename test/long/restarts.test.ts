import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { reasonToSkip } from '../support/installed.ts';
import type { Program } from '../support/program.ts';
import { createClient, openServices } from './support/gateway-programs.ts';
import { startBalancer } from './support/haproxy.ts';
import { failed, median, p99, reasons, sendAtRate } from './support/traffic.ts';

/** `RESTARTS=2` makes a short run. */
const RESTARTS = Number(process.env.RESTARTS ?? 10);
const PER_SECOND = 200;
const EXIT_WITHIN_MS = 15_000;

const why = reasonToSkip({ haproxy: '-v' });
if (why !== '') console.warn(`Restarts behind haproxy${why}`);

/** Two ports with a gateway each, which can be started again. */
async function openGateways() {
  const start = await openServices();
  const ports = [await freePort(), await freePort()] as const;
  const running = new Map<number, Program>();
  for (const port of ports) running.set(port, await start({ PORT: String(port) }));
  /** Stops a gateway with SIGTERM and starts another one in its place. */
  async function restart(port: number) {
    const sentAt = performance.now();
    const ended = await running.get(port)?.stop('SIGTERM');
    const ms = performance.now() - sentAt;
    running.set(port, await start({ PORT: String(port) }));
    return { ended, ms };
  }
  return { ports, restart };
}

describe(`behind haproxy${why}`, () => {
  test.skipIf(why !== '')(
    `${RESTARTS} restarts fail none of ${PER_SECOND} requests a second, and each gateway exits within 15 s`,
    async () => {
      const { ports, restart } = await openGateways();
      const { url, readyCount, stop } = await startBalancer(ports);
      const allReady = () => expect.poll(readyCount, { timeout: 60_000 }).toBe(ports.length);
      await allReady();
      const exits: number[] = [];
      const restarts = async () => {
        for (let count = 0; count < RESTARTS; count++) {
          const { ended, ms } = await restart(ports[count % 2] ?? 0);
          expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
          exits.push(ms);
          await allReady();
        }
      };
      const sent = await sendAtRate(createClient(url), PER_SECOND, restarts());
      console.info(
        `${sent.length} requests, p99 ${p99(sent).toFixed(1)} ms, ${failed(sent).length} failed; ` +
          `exits after ${median(exits).toFixed()} ms (median), ${Math.max(...exits).toFixed()} ms (longest)`,
      );
      const log = await stop();
      expect(reasons(sent), log).toEqual({});
      expect(sent.length).toBeGreaterThan(RESTARTS * PER_SECOND);
      expect(Math.max(...exits)).toBeLessThan(EXIT_WITHIN_MS);
    },
  );
});
