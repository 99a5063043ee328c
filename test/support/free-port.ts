import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems choose when a program asks for any free one. */
const FIRST = 20_000;
const END = 32_000;

/**
 * A port that nothing uses, followed by more of them if asked for. Programs that other tests start
 * do not get it meanwhile, because they ask for any free port.
 */
export async function freePort(count = 1): Promise<number> {
  const port = randomInt(FIRST, END);
  for (let next = port; next < port + count; next++) {
    if (!(await isFree(next))) return freePort(count);
  }
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
