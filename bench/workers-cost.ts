/**
 * `npm run bench:workers`: the CPU time that two workers cost for a request, in paired rounds
 * against two separate gateways, which know nothing of each other. Each process has a core of its
 * own, and as many connections as every other one. Half of them come from the same core, half from
 * the other. One process alone shows what a busy second core costs a process.
 *
 * `npm run bench:workers -- 20 "one process alone" "two workers"` has 20 rounds, and compares what
 * is named with the first that is named.
 */
import { tillgraph } from './contestants.ts';
import { costTable, measureCosts } from './paired-costs.ts';

const [count = '12', ...names] = process.argv.slice(2);
const ROUNDS = Number(count);
if (!Number.isInteger(ROUNDS) || ROUNDS < 1) {
  throw new Error(`"${count}" is not a number of rounds.`);
}
const WARM_UP_SECONDS = 8;
const two = { cores: ['contestant', 'rest'] } as const;
const candidates = [
  { ...two, gateway: tillgraph('two separate gateways') },
  { ...two, gateway: tillgraph('two separate gateways again') },
  { ...two, gateway: tillgraph('two workers', { WORKERS: '2' }), isOneGateway: true },
  { cores: ['contestant'], gateway: tillgraph('one process alone') },
] as const;
const chosen = names.map(candidateOf);
if (chosen.length === 1) throw new Error(`Name what to compare with "${names[0]}", too.`);
const { title, costs } = await measureCosts(
  chosen.length === 0 ? candidates : chosen,
  ROUNDS,
  WARM_UP_SECONDS,
);
console.log(`\n${ROUNDS} paired rounds, ${title}\n`);
console.log(costTable('processes', costs));

function candidateOf(name: string) {
  const candidate = candidates.find(({ gateway }) => gateway.name === name);
  if (candidate !== undefined) return candidate;
  const known = candidates.map(({ gateway }) => `"${gateway.name}"`).join(', ');
  throw new Error(`There is no "${name}". Choose from: ${known}.`);
}
