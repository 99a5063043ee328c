import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { createEmbedded } from '../../src/database/embedded.ts';
import { openServer } from '../../src/database/server.ts';
import { gatewayProgram } from '../../src/gateway/operation/store/open-store.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type Settings, usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { preparedPostgres } from '../support/storage.ts';
import { runGatewayProcess, settingsFor, startGatewayProcess } from './support/gateway-process.ts';
import { movementInput, submit } from './support/money-client.ts';
import { openServiceLedger, type ServiceLedger } from './support/service-ledger.ts';

let sandbox: Sandbox;
let ledger: ServiceLedger;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  ledger = await openServiceLedger(sandbox);
});
afterAll(() => sandbox?.close());

const start = (store: Settings) =>
  startGatewayProcess({ ...settingsFor(sandbox), ...store }, sandbox.demoApp.key);
const run = (store: Settings) => runGatewayProcess({ ...settingsFor(sandbox), ...store });

test('a DATA_DIR belongs to one gateway until that is killed; then the next one has its operations', async () => {
  const DATA_DIR = usedFolder();
  const first = await start({ DATA_DIR });
  expect(await run({ DATA_DIR })).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(
        `^DATA_DIR ${DATA_DIR} is in use by process ${first.pid} on \\S+\\. Run one Tillgraph per DATA_DIR, or set DATABASE_URL \\(gateway\\) and SANDBOX_DATABASE_URL \\(sandbox\\) to use a PostgreSQL server\\.\n$`,
      ),
    ),
  });
  const input = movementInput(await ledger.createTransaction('capture'), 400);
  const operation = { status: 'SUCCEEDED', evidence: 'ANSWERED', replayed: false };
  expect(await submit(first.ask, 'capture', input)).toMatchObject({
    __typename: 'CaptureTransactionSuccess',
    operation,
  });
  await first.stop('SIGKILL');
  const second = await start({ DATA_DIR });
  expect(await submit(second.ask, 'capture', input)).toMatchObject({
    __typename: 'CaptureTransactionSuccess',
    operation: { ...operation, replayed: true },
  });
  expect(await ledger.entries(input.transactionId)).toEqual([{ kind: 'capture', amount: 400 }]);
});

/** A store that gateways use by these settings. */
interface Location {
  readonly settings: Settings;
  /** Opens its database while no gateway uses it. */
  open(): Promise<Database>;
}

const locations: [string, () => Promise<Location>][] = [
  [
    'PGlite',
    async () => {
      const DATA_DIR = usedFolder();
      const embedded = createEmbedded({ dataDir: DATA_DIR });
      return { settings: { DATA_DIR }, open: () => embedded.open(gatewayProgram) };
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const url = await preparedPostgres();
      return { settings: { DATABASE_URL: url }, open: () => openServer(url) };
    },
  ],
];

const NEWER =
  /^The gateway's data has version 999, but this gateway supports versions up to \d+\. Use a newer Tillgraph, or another DATA_DIR or DATABASE_URL\.\n$/;
const CHANGED =
  /^Version 1 of the gateway's data was created by a different build of Tillgraph\. Use that build, or another DATA_DIR or DATABASE_URL\.\n$/;

describe.each(locations)('on %s', (_name, create) => {
  test('a gateway whose store has a newer version or another migration ends with a message and changes nothing', async () => {
    const { settings, open } = await create();
    async function query(...statements: string[]): Promise<unknown[]> {
      const database = await open();
      try {
        let rows: unknown[] = [];
        for (const sql of statements) rows = await database.query(sql);
        return rows;
      } finally {
        await database.close();
      }
    }
    const failure = (message: RegExp) => ({
      code: 1,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
    await query('INSERT INTO store_migration (version) VALUES (999)');
    expect(await run(settings)).toEqual(failure(NEWER));
    await query(
      'DELETE FROM store_migration WHERE version = 999',
      `UPDATE store_migration SET sha256 = 'of another file' WHERE version = 1`,
    );
    expect(await run(settings)).toEqual(failure(CHANGED));
    expect(await query('SELECT version, sha256 FROM store_migration ORDER BY version')).toEqual([
      { version: 1, sha256: 'of another file' },
    ]);
  });
});
