/**
 * `npm run bench:workers`: the CPU time that several workers cost for a request, in paired rounds
 * against one process. One process shares a core with its load. Two workers share two cores with
 * twice that load, because each process has its own core where workers are useful. Two processes
 * on one core need more for a request, also if they are separate gateways.
 */
import { tillgraph } from './contestants.ts';
import { costTable, measureCosts } from './paired-costs.ts';

const ROUNDS = Number(process.argv[2] ?? 12);
const WARM_UP_SECONDS = 10;
const one = { connections: 16, place: 'contestant' } as const;
const candidates = [
  { ...one, gateway: tillgraph('one process') },
  { ...one, gateway: tillgraph('one process again') },
  { connections: 32, place: 'both', gateway: tillgraph('two workers', { WORKERS: '2' }) },
] as const;
const { title, costs } = await measureCosts(candidates, ROUNDS, WARM_UP_SECONDS);
console.log(`\n${ROUNDS} paired rounds, ${title}\n`);
console.log(costTable('processes', costs));
