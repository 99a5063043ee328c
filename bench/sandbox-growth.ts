/**
 * Does a page of a merchant's transactions take longer when there are a hundred times
 * as many? Asks a running sandbox over HTTP, on PGlite in memory and on PostgreSQL, and
 * writes the answer beside this file.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import type { Database } from '../src/database/database.ts';
import { createEmbedded } from '../src/database/embedded.ts';
import { openDatabase, type Storage } from '../src/database/open.ts';
import { createEnvironment } from '../src/sandbox/environment.ts';
import { transactionRoutes } from '../src/sandbox/payments/transactions.ts';
import { sandboxProgram } from '../src/sandbox/program.ts';
import { type Sandbox, startSandbox } from '../src/sandbox/sandbox.ts';
import { createDatabase, startPostgres } from '../test/support/postgres-server.ts';
import { rest } from '../test/support/rest.ts';
import { quantile } from './quantile.ts';

const SMALL = 1_000;
const FACTOR = 100;
const WARM_UPS = 10;
const ROUNDS = 60;
const LIMIT = 50;
const MOST_GROWTH = 2;
const KEY = 'bench-key';
const AUTHORIZATION = `Basic ${btoa(`:${KEY}`)}`;

/** The pages to ask for: a name, and the query of the list. */
type Pages = readonly (readonly [name: string, query: string])[];

/** A sandbox with one growing merchant, and the pages to ask it for. */
interface Subject {
  readonly sandbox: Sandbox;
  readonly merchantId: string;
  readonly pages: Pages;
  readonly plans: ReadonlyMap<string, Plans>;
}

/** Every statement behind one page, and how the database goes about it. */
type Plans = readonly { readonly sql: string; readonly plan: string }[];

interface Result {
  readonly storage: string;
  readonly rows: readonly { name: string; small: number; large: number }[];
  readonly plans: ReadonlyMap<string, Plans>;
}

/** Inserts the demo data and a merchant with `count` transactions. Returns the merchant's id. */
async function fill(storage: Storage, count: number): Promise<string> {
  const sandbox = await startSandbox({ ...storage, demoKey: KEY });
  const { status, text, body } = await rest(sandbox.paymentsUrl, KEY).post('/merchants', {
    ...{ test: true, currency: 'EUR', email: 'shop@example.com', website: 'example.com' },
    ...{ descriptor: 'GROWING SHOP', company: { country: 'DE' } },
  });
  await sandbox.close();
  if (status !== 201) throw new Error(text);
  const { id } = body.merchant;

  const database = await openDatabase(storage, sandboxProgram);
  try {
    // The oldest fifty failed: who looks for them among the others has far to go.
    await database.query(
      `INSERT INTO transaction (id, merchant_id, test, created, currency, amount, captured, descriptor,
        card_bin, card_last4, card_expiry, card_scheme, card_behaviour, code_present, tds, recurring, error_code)
        SELECT next_record_id(extract(epoch FROM now())::bigint, 1), $1, true, now(), 'EUR', 1000,
          CASE WHEN n <= $2::integer THEN 0 ELSE 1000 END, 'GROWING SHOP', '410000', '0000',
          '2066-08-31T23:59:59.999Z', 'visa', 'succeed', true, 'none', false,
          CASE WHEN n <= $2::integer THEN 7 END
        FROM generate_series(1, $3::integer) AS n`,
      [id, LIMIT, count],
    );
    await database.query(
      `INSERT INTO line (id, merchant_id, test, created, balance, fee, transaction_id, currency,
        amount, kind, description)
        SELECT next_record_id(extract(epoch FROM now())::bigint, 1), merchant_id, true, now(), 950, 50,
          id, 'EUR', 1000, 'capture', descriptor
        FROM (SELECT * FROM transaction WHERE merchant_id = $1 AND captured > 0 ORDER BY id) AS one`,
      [id],
    );
    await database.query(
      `INSERT INTO trail_entry (transaction_id, kind, created, amount, gross, fee_flat, fee_rate, balance,
        descriptor, line_id)
        SELECT transaction_id, 'capture', created, 1000, 1000, 25, 25, 950, description, id
        FROM (SELECT * FROM line WHERE merchant_id = $1 ORDER BY id) AS one`,
      [id],
    );
    await database.query(
      'UPDATE merchant SET balance = (SELECT sum(balance) FROM line WHERE merchant_id = $1) WHERE id = $1',
      [id],
    );
    // A server does this automatically later; PGlite never does.
    if (storage.databaseUrl !== undefined) await database.query('ANALYZE');
    return id;
  } finally {
    await database.close();
  }
}

/** The pages to ask for, with cursors from the middle of the list. */
async function choosePages(database: Database, merchantId: string): Promise<Pages> {
  async function cursor(share: number): Promise<string> {
    const [row] = await database.query<{ id: string }>(
      `SELECT id FROM transaction WHERE merchant_id = $1 ORDER BY id OFFSET
        (SELECT floor(count(*) * $2::float) FROM transaction WHERE merchant_id = $1)::bigint LIMIT 1`,
      [merchantId, share],
    );
    return (row as { id: string }).id;
  }
  return [
    ['first page', ''],
    ['middle, `before`', `before=${await cursor(0.5)}`],
    ['quarter, `after`', `after=${await cursor(0.25)}`],
    ['`filter[successful]=yes`', 'filter[successful]=yes'],
    ['`filter[successful]=no`', 'filter[successful]=no'],
  ];
}

/** Asks the operation itself for a page, and explains each statement it runs. */
async function explain(database: Database, merchantId: string, query: string): Promise<Plans> {
  const plans: { sql: string; plan: string }[] = [];
  const environment = createEnvironment({
    ...database,
    query: async <Row>(sql: string, values?: readonly unknown[]) => {
      const plan = await database.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (COSTS OFF) ${sql}`,
        values,
      );
      const lines = plan.map((line) => line['QUERY PLAN']);
      // Of fifty ids that a condition names, one line is enough.
      plans.push({
        sql: sql.replace(/\s+/g, ' '),
        plan: lines.join('\n').replace(/('\{[^,}]+,)[^}]+/g, '$1…'),
      });
      return database.query<Row>(sql, values);
    },
  });
  const noBody = () => Promise.reject(new Error('A list reads no body'));
  const list = transactionRoutes(environment).find(
    ({ path }) => path === '/merchants/:id/transactions',
  );
  await list?.handle({
    params: { id: merchantId },
    query: new URLSearchParams(`limit=${LIMIT}&${query}`),
    headers: { authorization: AUTHORIZATION },
    body: noBody,
    json: noBody,
    jsonText: noBody,
    text: noBody,
  });
  return plans.filter(({ sql }) => /FROM (transaction|trail_entry)\b/.test(sql));
}

/** Medians in milliseconds; the two take turns, so that nothing favours one. */
async function measure(small: Subject, large: Subject): Promise<Result['rows']> {
  const rows = small.pages.map(([name]) => ({
    name,
    small: [] as number[],
    large: [] as number[],
  }));
  async function ask({ sandbox, merchantId, pages }: Subject, index: number): Promise<number> {
    const [name, query] = pages[index] ?? [];
    const path = `/merchants/${merchantId}/transactions?limit=${LIMIT}&${query}`;
    const start = performance.now();
    const { body } = await rest(sandbox.paymentsUrl, KEY).get(path);
    const duration = performance.now() - start;
    if (body.length !== LIMIT) throw new Error(`${name}: ${body.length} of ${LIMIT}`);
    return duration;
  }
  for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
    for (const [index, row] of rows.entries()) {
      const times = { small: await ask(small, index), large: await ask(large, index) };
      if (round < WARM_UPS) continue;
      row.small.push(times.small);
      row.large.push(times.large);
    }
  }
  return rows.map(({ name, ...row }) => ({
    name,
    small: quantile(row.small, 0.5),
    large: quantile(row.large, 0.5),
  }));
}

/** Fills a database and explains its pages; `served` is what the sandbox is then started on. */
async function prepare(
  filled: Storage,
  count: number,
  served: () => Promise<Storage>,
): Promise<Subject> {
  const merchantId = await fill(filled, count);
  const database = await openDatabase(filled, sandboxProgram);
  const plans = new Map<string, Plans>();
  const pages = await choosePages(database, merchantId);
  for (const [name, query] of pages) plans.set(name, await explain(database, merchantId, query));
  await database.close();
  const sandbox = await startSandbox({ ...(await served()), demoKey: KEY });
  return { sandbox, merchantId, pages, plans };
}

/** Prepares a small and a large one and measures them. */
async function compare(
  storage: string,
  prepareOne: (count: number) => Promise<Subject>,
): Promise<Result> {
  const small = await prepareOne(SMALL);
  const large = await prepareOne(SMALL * FACTOR);
  try {
    return { storage, rows: await measure(small, large), plans: large.plans };
  } finally {
    await small.sandbox.close();
    await large.sandbox.close();
  }
}

/** Filled in a folder, because a database in memory has one user; then carried into memory. */
async function inMemory(count: number): Promise<Subject> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-growth-'));
  try {
    return await prepare({ dataDir }, count, async () => {
      const lite = await PGlite.create({ dataDir: join(dataDir, 'database') });
      const template = await lite.dumpDataDir('none');
      await lite.close();
      return { embedded: createEmbedded({ template }) };
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function onPostgres(): Promise<Result | undefined> {
  const server = await startPostgres().catch((error) => {
    console.log(`PostgreSQL does not start here: ${error.message}`);
  });
  if (server === undefined) return undefined;
  try {
    return await compare('PostgreSQL', async (count) => {
      const storage = { databaseUrl: await createDatabase(server.url) };
      return prepare(storage, count, async () => storage);
    });
  } finally {
    await server.stop();
  }
}

function show({ storage, rows, plans }: Result): string {
  const table = rows.map(
    ({ name, small, large }) =>
      `| ${name} | ${small.toFixed(2)} ms | ${large.toFixed(2)} ms | ${(large / small).toFixed(2)} |`,
  );
  const explained = [...plans].map(
    ([name, all]) =>
      `${name}:\n\n\`\`\`\n${all.map(({ sql, plan }) => `${sql}\n\n${plan}`).join('\n\n')}\n\`\`\`\n`,
  );
  return `## ${storage}

| Page | ${SMALL} transactions | ${SMALL * FACTOR} transactions | Ratio |
| --- | ---: | ---: | ---: |
${table.join('\n')}

How the database reads the larger list:

${explained.join('\n')}`;
}

const results = [await compare('PGlite in memory', inMemory), await onPostgres()].filter(
  (result) => result !== undefined,
);
const [cpu] = cpus();
const report = `# Read times of a growing list

Each row is one page of ${LIMIT} transactions with their trails, read over HTTP. It compares a merchant with ${SMALL} transactions and one with ${SMALL * FACTOR}. The times are medians of ${ROUNDS} interleaved rounds, after ${WARM_UPS} rounds to warm up. A ratio above ${MOST_GROWTH} is a failure. Measured by \`npm run bench:growth\` on ${new Date().toISOString().slice(0, 10)}: ${cpu?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}.

${results.map(show).join('\n')}`;
writeFileSync(fileURLToPath(new URL('SANDBOX-GROWTH.md', import.meta.url)), report);
console.log(report);

const grown = results.flatMap(({ storage, rows }) =>
  rows.filter(({ small, large }) => large / small > MOST_GROWTH).map((row) => [storage, row.name]),
);
if (grown.length > 0) {
  console.error(`Grows by more than ${MOST_GROWTH}: ${JSON.stringify(grown)}`);
  process.exitCode = 1;
}
