/** Compares Tillgraph with other servers of the same graph: `npm run bench`. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createDatabase, startPostgres } from '../test/support/postgres-server.ts';
import { type Arguments, readArguments, select } from './arguments.ts';
import { check } from './check.ts';
import { contestants } from './contestants.ts';
import { installPeers } from './install-peers.ts';
import { killAll, pinSelf } from './process.ts';
import { profile } from './profile.ts';
import { REFERENCE, runScenario } from './run-scenario.ts';
import { scenarios } from './scenarios.ts';
import { printRow, tableHead } from './table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const FUNCTIONS = 30;

/** Compiles the product, unless told not to, and the programs of the benchmark. */
function build(withProduct: boolean): void {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  for (const project of withProduct ? ['.', 'bench'] : ['bench']) {
    execFileSync(process.execPath, [tsc, '--noCheck', '-p', project], {
      cwd: root,
      stdio: 'inherit',
    });
  }
}

async function printProfiles({ words }: Arguments, serverUrl: string): Promise<void> {
  for (const scenario of select(scenarios, words)) {
    for (const contestant of select(contestants, words, contestants.slice(0, 1))) {
      const written = await profile(contestant, scenario, await createDatabase(serverUrl));
      console.log(`\n${contestant.name}, ${scenario.title}: ${written.file}`);
      for (const { name, share } of written.packages) {
        console.log(`${(share * 100).toFixed(1).padStart(6)} %  ${name}`);
      }
      console.log('\nThe functions that use most:');
      for (const { name, share } of written.functions.slice(0, FUNCTIONS)) {
        console.log(`${(share * 100).toFixed(1).padStart(6)} %  ${name}`);
      }
    }
  }
}

async function printTables({ words, all }: Arguments, serverUrl: string): Promise<void> {
  const usual = all ? contestants : contestants.filter(({ isCore }) => isCore);
  const chosen = select(contestants, words, usual);
  if (chosen.some(({ isPeer }) => isPeer)) installPeers();
  // The ratios are formed with the reference, so it always takes part.
  const taking = contestants.filter((one) => one.name === REFERENCE || chosen.includes(one));
  for (const scenario of select(scenarios, words)) {
    console.log(`\n${scenario.title}\n${tableHead}`);
    for (const row of await runScenario(scenario, taking, serverUrl)) console.log(printRow(row));
  }
}

// A reader of the output may close it before the end; everything must be stopped nevertheless.
process.stdout.on('error', () => {});
const given = readArguments(process.argv.slice(2));
build(given.build);
pinSelf();
const givenUrl = process.env.BENCH_POSTGRES_URL;
const postgres = givenUrl ? { url: givenUrl, stop: async () => {} } : await startPostgres();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    killAll();
    await postgres.stop();
    process.exit(1);
  });
}
try {
  if (given.check) process.exitCode = (await check(given.words, postgres.url)) ? 0 : 1;
  else await (given.profile ? printProfiles : printTables)(given, postgres.url);
} finally {
  await postgres.stop();
}
