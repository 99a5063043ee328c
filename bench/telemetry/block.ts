/** What requests cost for some time. */
export interface Turn {
  readonly cpuMicros: number;
  readonly requests: number;
  /** Those that were answered before telemetry stopped listening; later, it still exports. */
  readonly covered: number;
}

/** Four turns that followed each other, two with telemetry and two without. */
export interface Block {
  readonly on: Turn;
  readonly off: Turn;
}

/**
 * Both outer turns have one state, and both inner ones the other, so that a machine that gets slower
 * slows both alike. Which one is outside is random: what recurs, such as a collection of garbage,
 * does not always meet the same state.
 */
export async function measureBlock(measure: (isOn: boolean) => Promise<Turn>): Promise<Block> {
  const isOnOutside = Math.random() < 0.5;
  const first = await measure(isOnOutside);
  const inner = addTurns(await measure(!isOnOutside), await measure(!isOnOutside));
  const outer = addTurns(first, await measure(isOnOutside));
  return isOnOutside ? { on: outer, off: inner } : { on: inner, off: outer };
}

/** What turns cost together. */
export function addTurns(one: Turn, other: Turn): Turn {
  return {
    cpuMicros: one.cpuMicros + other.cpuMicros,
    requests: one.requests + other.requests,
    covered: one.covered + other.covered,
  };
}

/** How much more CPU time a request took with telemetry than without: 1.03 is 3 % more. */
export function ratioOf(block: Block): number {
  return microsOn(block) / microsOff(block);
}

/** CPU time of a request with telemetry. Those that it did not cover took as much as without it. */
export function microsOn(block: Block): number {
  const { cpuMicros, requests, covered } = block.on;
  return (cpuMicros - (requests - covered) * microsOff(block)) / covered;
}

/** CPU time of a request without telemetry. */
export function microsOff({ off }: Block): number {
  return off.cpuMicros / off.requests;
}
