import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { readCodeBlocks, root } from '../docs/documents.ts';
import { loseRequest } from '../money/support/faults.ts';
import {
  type GatewayProcess,
  settingsFor,
  spawnGatewayProcess,
} from '../money/support/gateway-process.ts';
import { type MovementInput, movementInput, submit } from '../money/support/money-client.ts';
import { applyTwice } from '../money/support/operator-commands.ts';
import { openServiceLedger } from '../money/support/service-ledger.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { installForProduction } from '../support/production-install.ts';
import { type Settings, startNode } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { preparedDataDir, preparedPostgres } from '../support/storage.ts';

/** A gateway with the operations of the documented session. With PostgreSQL, it runs. */
interface Scene {
  readonly gateway: GatewayProcess;
  readonly proxy: FaultProxy;
  /** Settings of the operator's command. */
  readonly operator: Settings;
  /** The input of the first capture. */
  readonly first: MovementInput;
}

type StoreName = 'the embedded database' | 'PostgreSQL';

let folder: string;
let sandbox: Sandbox;
let scenes: Record<StoreName, Scene>;

beforeAll(async () => {
  folder = installForProduction();
  sandbox = await startTestSandbox();
  const DATABASE_URL = await preparedPostgres();
  const [embedded, server] = await Promise.all([
    setScene({ DATA_DIR: preparedDataDir() }),
    setScene({ DATABASE_URL }),
  ]);
  scenes = { 'the embedded database': embedded, PostgreSQL: server };
});
afterAll(async () => {
  for (const { gateway, proxy } of Object.values(scenes ?? {})) {
    await gateway.stop('SIGKILL');
    await proxy.close();
  }
  await sandbox?.close();
});

/** Captures twice: a proxy repeats the first request, and loses the second. */
async function setScene(storage: Settings): Promise<Scene> {
  const proxy = await startFaultProxy(sandbox.paymentsUrl);
  const settings = { ...settingsFor(sandbox, proxy.url), ...storage };
  const { key } = sandbox.demoApp;
  const gateway = await spawnGatewayProcess(settings, key, folder);
  const ledger = await openServiceLedger(sandbox);
  const inputs: MovementInput[] = [];
  for (const [amount, name, fault] of [
    [400, 'order-4711', applyTwice],
    [250, 'order-4712', loseRequest],
  ] as const) {
    const transactionId = await ledger.createTransaction('capture');
    proxy.onWrite = fault;
    const input = movementInput(transactionId, amount, name);
    inputs.push(input);
    const result = await submit(gateway.ask, 'capture', input);
    expect(result).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  }
  if (storage.DATABASE_URL === undefined) await gateway.stop('SIGTERM');
  const operator = { ...storage, PAYMENTS_URL: sandbox.paymentsUrl, MONEY_OPERATOR_API_KEY: key };
  const [first] = inputs;
  if (first === undefined) throw new Error('There is no capture.');
  return { gateway, proxy, operator, first };
}

/** The commands of the documented session, each with what it prints. */
function readSession(): { readonly command: string; readonly output: string }[] {
  const blocks = readCodeBlocks(readFileSync(`${root}docs/money-operator.md`, 'utf8'));
  const { code = '' } = blocks.find((block) => block.code.startsWith('$ tillgraph ')) ?? {};
  return code
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const end = step.indexOf('\n');
      return { command: step.slice(0, end), output: step.slice(end + 1) };
    });
}

const IDS = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24})\b/g;

/** Hides what differs in every run, besides the ids. */
function withoutTimes(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<date>')
    .replace(/ {2}\d+ (s|min|h|d)$/gm, '  <age>')
    .replace(/"by":"[^"]+"/g, '"by":"<name>"');
}

test.each(['the embedded database', 'PostgreSQL'] as const)(
  'the documented session of an operator runs on %s without development packages',
  async (name) => {
    const { operator } = scenes[name];
    /** The ids of this run, by those in the document. */
    const ids = new Map<string, string>();
    let exitCode: number | null = null;
    const session = readSession();
    expect(session.length).toBeGreaterThan(5);
    for (const { command, output } of session) {
      if (command === 'echo $?') {
        expect(`${exitCode}\n`).toBe(output);
        continue;
      }
      const [, ...args] = (command.match(/'[^']*'|\S+/g) ?? []).map((word) =>
        word.replaceAll("'", ''),
      );
      const own = args.map((arg) => ids.get(arg) ?? arg);
      const { stdout, stderr, code } = await startNode(
        ['bin/tillgraph.js', ...own],
        operator,
        folder,
      ).ended;
      exitCode = code;
      const printed = `${stdout}${stderr}`;
      const found = printed.match(IDS) ?? [];
      for (const [index, id] of (output.match(IDS) ?? []).entries()) {
        ids.set(id, ids.get(id) ?? found[index] ?? 'none');
      }
      const expected = output.replace(IDS, (id) => ids.get(id) ?? id);
      expect(withoutTimes(printed), command).toBe(withoutTimes(expected));
    }
  },
);

test('the running gateway returns what the operator has recorded', async () => {
  const { gateway, first } = scenes.PostgreSQL;
  expect(await submit(gateway.ask, 'capture', first)).toMatchObject({
    __typename: 'CaptureTransactionSuccess',
    operation: { status: 'SUCCEEDED', replayed: true },
  });
});

test('`npm run money` runs without development packages', async () => {
  expect(existsSync(`${folder}/node_modules/typescript`)).toBe(false);
  const npm = promisify(execFile)('npm', ['run', '--silent', 'money', '--', 'list', '--json'], {
    cwd: folder,
    env: { ...process.env, ...scenes.PostgreSQL.operator },
    shell: process.platform === 'win32',
  });
  expect(JSON.parse((await npm).stdout)).toHaveLength(2);
});
