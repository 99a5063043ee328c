import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
const built = ['dist/main.js'];
let project: string;

/** The project without the sandbox's folder, compiled. */
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'tillgraph-without-sandbox-'));
  const sandbox = join(projectFolder, 'src/sandbox');
  for (const part of ['package.json', 'tsconfig.json', 'src', 'schema']) {
    cpSync(join(projectFolder, part), join(project, part), {
      recursive: true,
      filter: (file) => file !== sandbox,
    });
  }
  symlinkSync(join(projectFolder, 'node_modules'), join(project, 'node_modules'));
  await build().catch((error) => {
    throw new Error(`It does not compile without the sandbox:\n${error.stdout}${error.stderr}`);
  });
});

/** The long tests also check the types. Every day, the rules for imports do. */
function build() {
  const command = inject('scale') > 1 ? ['npm', 'run', 'build'] : ['npx', 'tsx', 'src/compile.ts'];
  const [file = '', ...args] = command;
  return run(file, args, { cwd: project });
}

afterAll(() => rmSync(project, { recursive: true, force: true }));

test('without the sandbox the gateway still compiles and serves from the given addresses', async () => {
  expect(existsSync(join(project, 'dist/sandbox'))).toBe(false);
  const { usersUrl, paymentsUrl, posUrl, demoApp, close } = await startTestSandbox();
  onTestFinished(close);
  const dataDir = usedFolder();
  const settings = {
    DATA_DIR: dataDir,
    USERS_URL: usersUrl,
    PAYMENTS_URL: paymentsUrl,
    POS_URL: posUrl,
  };
  const program = await startProgram(settings, built, project);
  expect(program.screen).toContain(`Operations     ${dataDir}\n`);
  expect(program.screen).toContain('Data           - (with the services)\n');
  const { data } = await program.ask('{ viewer { name } }', {}, demoApp.key);
  expect(data).toEqual({ viewer: { name: 'Demo' } });
});

test('without the sandbox and without addresses the program ends with one line that asks for them', async () => {
  expect(await runProgram({ DATA_DIR: emptyFolder() }, built, project)).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: 'There is no sandbox here: set USERS_URL, PAYMENTS_URL and POS_URL.\n',
  });
});

test('without the sandbox `--help` prints the settings of the gateway alone', async () => {
  const ended = await runProgram({ DATA_DIR: emptyFolder() }, [...built, '--help'], project);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toContain('\n  PORT=4000\n');
  expect(ended.stdout).not.toContain('SANDBOX_USERS_PORT');
});

test('the program is compiled again only if its sources, `package.json` or the result have changed', async () => {
  const record = join(project, 'dist/compiled.json');
  /** Whether the next start compiles. */
  async function compiles() {
    const { mtimeMs } = statSync(record);
    await build();
    return statSync(record).mtimeMs > mtimeMs;
  }
  expect(await compiles()).toBe(false);
  appendFileSync(join(project, 'src/version.ts'), '\n');
  expect(await compiles()).toBe(true);
  writeFileSync(join(project, 'dist/main.js'), '');
  expect(await compiles()).toBe(true);
  expect(statSync(join(project, 'dist/main.js')).size).toBeGreaterThan(0);
  appendFileSync(join(project, 'package.json'), '\n');
  expect(await compiles()).toBe(true);
  expect(await compiles()).toBe(false);

  // Where the record cannot be written, the program is compiled each time.
  rmSync(record);
  mkdirSync(record);
  rmSync(join(project, 'dist/main.js'));
  await build();
  expect(statSync(join(project, 'dist/main.js')).size).toBeGreaterThan(0);
});
