import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import {
  emptyFolder,
  projectFolder,
  runProgram,
  startProgram,
  usedFolder,
} from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

const run = promisify(execFile);
const main = ['bin/gateway.js'];
let project: string;

beforeAll(async () => {
  project = copyProject();
  // Every day, the rules for imports are checked.
  if (inject('scale') === 1) return;
  await run('npm', ['run', 'build'], { cwd: project }).catch((error) => {
    throw new Error(`It does not compile without the sandbox:\n${error.stdout}${error.stderr}`);
  });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** A copy of the project without the sandbox, with the same packages. */
function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-copy-'));
  const filter = (file: string) => file !== join(projectFolder, 'src/sandbox');
  for (const part of ['package.json', 'tsconfig.json', 'bin', 'src', 'schema']) {
    cpSync(join(projectFolder, part), join(folder, part), { recursive: true, filter });
  }
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

test('without the sandbox the gateway still serves from the given addresses', async () => {
  expect(existsSync(join(project, 'src/sandbox'))).toBe(false);
  const { usersUrl, paymentsUrl, posUrl, demoApp, close } = await startTestSandbox();
  onTestFinished(close);
  const dataDir = usedFolder();
  const settings = {
    DATA_DIR: dataDir,
    USERS_URL: usersUrl,
    PAYMENTS_URL: paymentsUrl,
    POS_URL: posUrl,
  };
  const program = await startProgram(settings, main, project);
  expect(program.screen).toContain(`Operations     ${dataDir}\n`);
  expect(program.screen).toContain('Data           - (with the services)\n');
  const { data } = await program.ask('{ viewer { name } }', {}, demoApp.key);
  expect(data).toEqual({ viewer: { name: 'Demo' } });
});

test('without the sandbox and without addresses the program ends with one line that asks for them', async () => {
  expect(await runProgram({ DATA_DIR: emptyFolder() }, main, project)).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: 'The sandbox is not installed. Set USERS_URL, PAYMENTS_URL and POS_URL.\n',
  });
});

test('without the sandbox `--help` prints the settings of the gateway alone', async () => {
  const ended = await runProgram({ DATA_DIR: emptyFolder() }, [...main, '--help'], project);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toContain('\n  PORT=4000\n');
  expect(ended.stdout).not.toContain('SANDBOX_USERS_PORT');
});
