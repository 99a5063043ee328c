/** Compares Tillgraph with other servers of the same graph: `npm run bench`. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../test/support/postgres-server.ts';
import { contestants } from './contestants.ts';
import { runScenario } from './run-scenario.ts';
import { scenarios } from './scenarios.ts';
import { printRow, tableHead } from './table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Compiles the product and the programs of the benchmark. */
function build(): void {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  for (const project of ['.', 'bench']) {
    execFileSync(process.execPath, [tsc, '--noCheck', '-p', project], {
      cwd: root,
      stdio: 'inherit',
    });
  }
}

/** Those whose names begin with one of the words, or all if no word names any. */
function select<T extends { readonly name: string }>(all: readonly T[], words: readonly string[]) {
  const chosen = all.filter(({ name }) => words.some((word) => name.startsWith(word)));
  return chosen.length === 0 ? all : chosen;
}

const words = process.argv.slice(2);
build();
const postgres = await startPostgres();
try {
  for (const scenario of select(scenarios, words)) {
    console.log(`\n${scenario.title}\n${tableHead}`);
    const rows = await runScenario(scenario, select(contestants, words), postgres.url);
    for (const row of rows) console.log(printRow(row));
  }
} finally {
  await postgres.stop();
}
