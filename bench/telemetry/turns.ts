import { tillgraph } from '../contestants.ts';
import type { CostSetup } from '../cost-setup.ts';
import { runLoad } from '../load/run-load.ts';
import type { Block } from './block.ts';

/** What `npm run bench:telemetry` compiles `gateway.ts` to. */
const GATEWAY = { file: '../dist/bench/telemetry-gateway.js' };

/** Not counted. Telemetry is turned on and off meanwhile, so that V8 compiles for both. */
const WARM_UP_SECONDS = 12;
/** The load goes on until the last block has ended, which may begin just before the end. */
const LAST_BLOCK_SECONDS = 6;

/** What is measured. */
export interface Measurement {
  readonly settings: Readonly<Record<string, string>>;
  /** How long telemetry stays on or off, in milliseconds. */
  readonly turnMs: number;
  readonly seconds: number;
}

/**
 * Measures what telemetry costs in a new process. Telemetry is turned on and off, because two
 * processes of one program differ by 2 to 3 %, about as much as metrics cost.
 */
export async function measureTurns(
  { newSurroundings, loadOf }: CostSetup,
  { settings, turnMs, seconds }: Measurement,
): Promise<Block[]> {
  const gateway = tillgraph('in turns', settings, GATEWAY);
  const { url, stop } = await gateway.start(await newSurroundings());
  try {
    const load = await loadOf(await (await fetch(url)).text());
    const measure = async (measured: number): Promise<Block[]> => {
      const [{ wrong, errors }, response] = await Promise.all([
        runLoad({ ...load, seconds: measured + LAST_BLOCK_SECONDS }),
        fetch(`${url}/measure?ms=${turnMs}&seconds=${measured}`, { method: 'POST' }),
      ]);
      if (wrong + errors > 0) throw new Error(`${wrong + errors} wrong answers`);
      const blocks: Block[] = await response.json();
      return blocks;
    };
    await measure(WARM_UP_SECONDS);
    return await measure(seconds);
  } finally {
    await stop();
  }
}
