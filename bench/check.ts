import { createDatabase } from '../test/support/postgres-server.ts';
import { select } from './arguments.ts';
import { type Contestant, contestants, withPackages } from './contestants.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { startBuiltIn } from './services/start-built-in.ts';
import { verify } from './verify.ts';

/** A multiple of ten, because every tenth request of a scenario is a capture. */
const REQUESTS = 20;
/** One after another, nothing is coalesced, so that the calls are known. */
const extent = { requests: REQUESTS, connections: 1 };
const names = ['tillgraph', 'hand-written', 'yoga'];

/**
 * Checks without a clock that contestants answer every scenario with the right data and make
 * the right number of calls. Prints the result of each. Without words, only those that need no
 * packages but the product's take part.
 */
export async function check(words: readonly string[], serverUrl: string): Promise<boolean> {
  const chosen = withPackages(select(contestants, words, select(contestants, names)));
  const asked = select(scenarios, words);
  let isRight = true;
  for (const [index, contestant] of chosen.entries()) {
    // A late upstream is the same for all, so that only the first one is started before it.
    const latencies = new Set(asked.map(({ latencyMs }) => (index === 0 ? latencyMs : undefined)));
    for (const latencyMs of latencies) {
      const group = asked.filter((one) => index > 0 || one.latencyMs === latencyMs);
      const failures = await checkGroup(contestant, group, latencyMs, serverUrl);
      isRight &&= failures === 0;
    }
  }
  return isRight;
}

/** Checks a contestant in scenarios with one upstream. Returns how many of them fail. */
async function checkGroup(
  contestant: Contestant,
  group: readonly Scenario[],
  latencyMs: number | undefined,
  serverUrl: string,
): Promise<number> {
  const upstream = await startBuiltIn(latencyMs);
  const databaseUrl = await createDatabase(serverUrl);
  let failures = 0;
  try {
    const child = await contestant.start({ upstreamUrl: upstream.url, databaseUrl });
    try {
      for (const scenario of group) {
        if (contestant.skips(scenario) !== undefined) continue;
        const failure = await verify(child.url, contestant.dialect, scenario, upstream, extent)
          .then(({ callsPerRequest }) => complaint(scenario, callsPerRequest))
          .catch((error: Error) => error.message);
        console.log(`${contestant.name}, ${scenario.name}: ${failure ?? 'ok'}`);
        if (failure !== undefined) failures += 1;
      }
    } finally {
      await child.stop();
    }
  } finally {
    await upstream.stop();
  }
  return failures;
}

function complaint({ calls }: Scenario, made: number): string | undefined {
  return made === calls ? undefined : `${made} calls for a request, not ${calls}`;
}
