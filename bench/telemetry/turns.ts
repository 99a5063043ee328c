import { tillgraph } from '../contestants.ts';
import type { CostSetup } from '../cost-setup.ts';
import { type Load, runLoad } from '../load/run-load.ts';
import { cpuMicrosOfAll } from '../process.ts';

/** What `npm run bench:telemetry` compiles `gateway.ts` to. */
const GATEWAY = { file: '../dist/bench/telemetry-gateway.js' };

/** Seconds of load, for each turn. */
const TURN_SECONDS = 2;
const WARM_UP_ON_SECONDS = 6;
const WARM_UP_OFF_SECONDS = 3;

/** What a turn cost. */
export interface Turn {
  readonly cpuMicros: number;
  readonly requests: number;
}

/** Two turns that followed each other, with telemetry and without. */
export interface Pair {
  readonly on: Turn;
  readonly off: Turn;
}

/** A gateway whose telemetry can be turned on and off. */
interface Switched {
  readonly pid: number;
  readonly load: Omit<Load, 'seconds'>;
  /** Where telemetry is turned on and off. */
  readonly url: string;
}

/**
 * Measures what telemetry costs in a new process. Telemetry is turned on and off, because two
 * processes of one program differ by 2 to 3 %, about as much as metrics cost.
 *
 * @param count how many pairs of turns
 */
export async function measureTurns(
  { newSurroundings, loadOf }: CostSetup,
  settings: Readonly<Record<string, string>>,
  count: number,
): Promise<Pair[]> {
  const { url, pid, stop } = await tillgraph('in turns', settings, GATEWAY).start(
    await newSurroundings(),
  );
  try {
    const endpoint = await (await fetch(url)).text();
    const gateway = { url, pid, load: await loadOf(endpoint) };
    await measureTurn(gateway, 'on', WARM_UP_ON_SECONDS);
    await measureTurn(gateway, 'off', WARM_UP_OFF_SECONDS);
    const pairs: Pair[] = [];
    for (let index = 0; index < count; index++) pairs.push(await measurePair(gateway, index));
    return pairs;
  } finally {
    await stop();
  }
}

/** Neither is always the later one. */
async function measurePair(gateway: Switched, index: number): Promise<Pair> {
  if (index % 2 === 0) {
    const on = await measureTurn(gateway, 'on', TURN_SECONDS);
    return { on, off: await measureTurn(gateway, 'off', TURN_SECONDS) };
  }
  const off = await measureTurn(gateway, 'off', TURN_SECONDS);
  return { off, on: await measureTurn(gateway, 'on', TURN_SECONDS) };
}

/**
 * Starting telemetry does not count. Stopping it does, because it sends what is left. It is also
 * stopped if it is off, so that both turns get the same request.
 */
async function measureTurn(
  { url, pid, load }: Switched,
  state: 'on' | 'off',
  seconds: number,
): Promise<Turn> {
  if (state === 'on') await fetch(`${url}/on`, { method: 'POST' });
  const before = cpuMicrosOfAll(pid);
  const { requests, wrong, errors } = await runLoad({ ...load, seconds });
  if (wrong + errors > 0) throw new Error(`${wrong + errors} wrong answers`);
  await fetch(`${url}/off`, { method: 'POST' });
  return { cpuMicros: cpuMicrosOfAll(pid) - before, requests };
}
