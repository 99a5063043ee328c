/**
 * `npm run bench:workers`: the CPU time that two workers cost for a request, in paired rounds
 * against two separate gateways, which know nothing of each other. Each process has a core of its
 * own, and as many connections as every other one. Half of them come from the same core, half from
 * the other. One process alone shows what a busy second core costs a process.
 */
import { tillgraph } from './contestants.ts';
import { costTable, measureCosts } from './paired-costs.ts';

const ROUNDS = Number(process.argv[2] ?? 12);
/** What is compared; all if left out. */
const ONLY = process.argv[3];
const WARM_UP_SECONDS = 8;
const two = { cores: ['contestant', 'rest'] } as const;
const candidates = [
  { ...two, gateway: tillgraph('two separate gateways') },
  { ...two, gateway: tillgraph('two separate gateways again') },
  { ...two, gateway: tillgraph('two workers', { WORKERS: '2' }), isOneGateway: true },
  { cores: ['contestant'], gateway: tillgraph('one process alone') },
] as const;
const [base, ...others] = candidates;
const compared = others.filter(({ gateway }) => ONLY === undefined || gateway.name === ONLY);
if (compared.length === 0) {
  const names = others.map(({ gateway }) => `"${gateway.name}"`).join(', ');
  throw new Error(`There is no "${ONLY}". Choose one of ${names}.`);
}
const { title, costs } = await measureCosts([base, ...compared], ROUNDS, WARM_UP_SECONDS);
console.log(`\n${ROUNDS} paired rounds, ${title}\n`);
console.log(costTable('processes', costs));
