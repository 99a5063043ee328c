import { isInstalled, type Place } from '../process.ts';
import type { Scenario } from '../scenarios.ts';
import { startBuiltIn, type Upstream } from './start-built-in.ts';
import { startNginx } from './start-nginx.ts';

const hasNginx = isInstalled('nginx');

/** Starts the fastest upstream that has what a scenario needs. */
export function startUpstream(
  { requests, needsBuiltIn, latencyMs }: Scenario,
  place: Place = 'rest',
): Promise<Upstream> {
  const isStatic = needsBuiltIn !== true && latencyMs === undefined;
  return hasNginx && isStatic ? startNginx(requests, place) : startBuiltIn(latencyMs, place);
}
