import { tillgraph } from '../contestants.ts';
import type { CostSetup } from '../cost-setup.ts';
import { type Load, runLoad } from '../load/run-load.ts';
import { cpuMicrosOfAll } from '../process.ts';

/** What `npm run bench:telemetry` compiles `gateway.ts` to. */
const GATEWAY = { file: '../dist/bench/telemetry-gateway.js' };

/** Seconds of load, for each turn. */
const TURN_SECONDS = 1;
const WARM_UP_ON_SECONDS = 6;
const WARM_UP_OFF_SECONDS = 3;

/** What one or more turns cost. */
export interface Turn {
  readonly cpuMicros: number;
  readonly requests: number;
}

/** Four turns that followed each other, two with telemetry and two without. */
export interface Block {
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
 * @param count how many blocks of turns
 */
export async function measureTurns(
  { newSurroundings, loadOf }: CostSetup,
  settings: Readonly<Record<string, string>>,
  count: number,
): Promise<Block[]> {
  const { url, pid, stop } = await tillgraph('in turns', settings, GATEWAY).start(
    await newSurroundings(),
  );
  try {
    const endpoint = await (await fetch(url)).text();
    const gateway = { url, pid, load: await loadOf(endpoint) };
    await measureTurn(gateway, 'on', WARM_UP_ON_SECONDS);
    await measureTurn(gateway, 'off', WARM_UP_OFF_SECONDS);
    const blocks: Block[] = [];
    while (blocks.length < count) blocks.push(await measureBlock(gateway));
    return blocks;
  } finally {
    await stop();
  }
}

/**
 * Both outer turns have one state, and both inner ones the other, so that a machine that gets slower
 * slows both alike. Which one is outside is random: what recurs, such as a collection of garbage,
 * does not always meet the same state.
 */
async function measureBlock(gateway: Switched): Promise<Block> {
  const [outer, inner] = Math.random() < 0.5 ? (['on', 'off'] as const) : (['off', 'on'] as const);
  const first = await measureTurn(gateway, outer, TURN_SECONDS);
  const second = await measureTurn(gateway, inner, TURN_SECONDS);
  const third = await measureTurn(gateway, inner, TURN_SECONDS);
  const fourth = await measureTurn(gateway, outer, TURN_SECONDS);
  const outerTurns = addTurns(first, fourth);
  const innerTurns = addTurns(second, third);
  return outer === 'on' ? { on: outerTurns, off: innerTurns } : { on: innerTurns, off: outerTurns };
}

/** What two turns cost together. */
export function addTurns(one: Turn, other: Turn): Turn {
  return {
    cpuMicros: one.cpuMicros + other.cpuMicros,
    requests: one.requests + other.requests,
  };
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
