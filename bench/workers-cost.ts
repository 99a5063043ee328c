/**
 * `npm run bench:workers`: the CPU time that several workers cost for a request, in paired rounds
 * against one process. All share one core, so that throughput says nothing: only the cost counts.
 */
import { tillgraph } from './contestants.ts';
import { costTable, measureCosts } from './paired-costs.ts';

const ROUNDS = Number(process.argv[2] ?? 12);
/** Each of two workers gets half of the requests, so it takes twice as long until all is compiled. */
const WARM_UP_SECONDS = 15;
const gateways = [
  tillgraph('one process'),
  tillgraph('one process again'),
  tillgraph('two workers', { WORKERS: '2' }),
];
const { title, costs } = await measureCosts(gateways, ROUNDS, WARM_UP_SECONDS);
console.log(`\n${ROUNDS} paired rounds, ${title}\n`);
console.log(costTable('processes', costs));
