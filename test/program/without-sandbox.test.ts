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

beforeAll(async () => {
  project = copyProject('src/sandbox');
  // The long tests also check the types. Every day, the rules for imports do.
  const building =
    inject('scale') > 1 ? run('npm', ['run', 'build'], { cwd: project }) : compile(project);
  await building.catch((error) => {
    throw new Error(`It does not compile without the sandbox:\n${error.stdout}${error.stderr}`);
  });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** A copy of the project without some files or folders, with the same packages. */
function copyProject(...without: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-copy-'));
  const left = new Set(without.map((name) => join(projectFolder, name)));
  for (const part of ['package.json', 'tsconfig.json', 'src', 'schema']) {
    const filter = (file: string) => !left.has(file);
    cpSync(join(projectFolder, part), join(folder, part), { recursive: true, filter });
  }
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** What `npm start` does first. */
function compile(folder: string) {
  const args = ['node_modules/tsx/dist/cli.mjs', 'src/compile.ts'];
  return run(process.execPath, args, { cwd: folder });
}

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
  // One entry without imports takes the least time.
  const small = copyProject('src/sandbox', 'src/cli.ts', 'src/test-gateway.ts');
  onTestFinished(() => rmSync(small, { recursive: true, force: true }));
  const [source, result] = [join(small, 'src/main.ts'), join(small, 'dist/main.js')];
  const record = join(small, 'dist/compiled.json');
  writeFileSync(source, 'export {};\n');
  cpSync(join(projectFolder, 'dist/pages'), join(small, 'dist/pages'), { recursive: true });
  await compile(small);

  /** Whether the next start compiles. */
  async function compiles() {
    const { mtimeMs } = statSync(record);
    await compile(small);
    return statSync(record).mtimeMs > mtimeMs;
  }
  expect(await compiles()).toBe(false);
  appendFileSync(source, '\n');
  expect(await compiles()).toBe(true);
  writeFileSync(result, '');
  expect(await compiles()).toBe(true);
  expect(statSync(result).size).toBeGreaterThan(0);
  appendFileSync(join(small, 'package.json'), '\n');
  expect(await compiles()).toBe(true);
  expect(await compiles()).toBe(false);

  // Where the record cannot be written, the program is compiled each time.
  rmSync(record);
  mkdirSync(record);
  rmSync(result);
  await compile(small);
  expect(statSync(result).size).toBeGreaterThan(0);
});
