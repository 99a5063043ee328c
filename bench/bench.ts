/** Compares Tillgraph with other servers of the same graph: `npm run bench`. */
import { createDatabase, startPostgres } from '../test/support/postgres-server.ts';
import { type Arguments, readArguments, select } from './arguments.ts';
import { check } from './check.ts';
import { type Contestant, contestants, withPackages } from './contestants.ts';
import { benchEvents } from './events.ts';
import { growing, printGrowth, runGrowth } from './growth.ts';
import { killAll, pinSelf } from './process.ts';
import { profile, type Share } from './profile.ts';
import { benchReplica } from './replica.ts';
import { saveResults, type Table } from './results.ts';
import { quickPlan, REFERENCE, runScenario, usualPlan } from './run-scenario.ts';
import { scenarios } from './scenarios.ts';
import { printRow, tableHead } from './table.ts';

const FUNCTIONS = 30;
const GROWTH = 'growth';
const REPLICA = 'replica';
const EVENTS = 'events';

function printShares(title: string, shares: readonly Share[]): void {
  console.log(`\n${title}`);
  for (const { name, share } of shares) {
    console.log(`${(share * 100).toFixed(1).padStart(6)} %  ${name}`);
  }
}

async function printProfiles({ words }: Arguments, serverUrl: string): Promise<void> {
  for (const scenario of select(scenarios, words)) {
    for (const contestant of withPackages(select(contestants, words, contestants.slice(0, 1)))) {
      const written = await profile(contestant, scenario, await createDatabase(serverUrl));
      const title = `${contestant.name}, ${scenario.title}: ${written.file}`;
      printShares(`${title}\n\nSelf time by package:`, written.packages);
      printShares('By function:', written.functions.slice(0, FUNCTIONS));
    }
  }
}

/** The contestants that the words name, with the reference, which the ratios are formed with. */
function taking(words: readonly string[], usual: readonly Contestant[]): readonly Contestant[] {
  const chosen = select(contestants, words, usual);
  return withPackages(contestants.filter((one) => one.name === REFERENCE || chosen.includes(one)));
}

async function runTables({ words, all, quick }: Arguments, serverUrl: string): Promise<Table[]> {
  const chosen = taking(words, all ? contestants : contestants.filter(({ isCore }) => isCore));
  const tables: Table[] = [];
  const usual = all ? scenarios : scenarios.filter(({ isExtra }) => isExtra !== true);
  for (const scenario of select(scenarios, words, usual)) {
    const result = await runScenario(scenario, chosen, serverUrl, quick ? quickPlan : usualPlan);
    const { name, title } = scenario;
    tables.push({ name, title, ...result });
    console.log(`\n${title}\n\n${tableHead}\n${result.rows.map(printRow).join('\n')}`);
  }
  return tables;
}

/** Measures what the arguments name. Only a run of everything that is usual is kept. */
async function measure(given: Arguments, serverUrl: string): Promise<void> {
  if (given.words.includes(EVENTS)) return benchEvents();
  if (given.words.includes(REPLICA)) return benchReplica(serverUrl, given.quick);
  const isGrowth = given.words.includes(GROWTH);
  if (!isGrowth) {
    const tables = await runTables(given, serverUrl);
    if (given.words.length === 0) saveResults({ tables }, given.quick);
  }
  if (isGrowth || (given.all && given.words.length === 0)) {
    const words = given.words.filter((word) => word !== GROWTH);
    const chosen = taking(words, select(contestants, growing));
    const growth = await runGrowth(chosen, { serverUrl, isQuick: given.quick }, (one) =>
      console.log(`\n${printGrowth(one)}`),
    );
    if (words.length === 0) saveResults({ growth }, given.quick);
  }
}

// A reader of the output may close it before the end; everything must be stopped nevertheless.
process.stdout.on('error', () => {});
const given = readArguments(process.argv.slice(2));
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
  else await (given.profile ? printProfiles : measure)(given, postgres.url);
} finally {
  await postgres.stop();
}
