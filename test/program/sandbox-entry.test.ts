import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProcess } from '../support/process.ts';
import { emptyFolder, projectFolder } from '../support/program.ts';

/** The package of a developer that uses the sandbox, with the project as its dependency. */
function installedPackage(): string {
  const folder = join(emptyFolder(), 'package');
  cpSync(join(projectFolder, 'test/consumer/sandbox'), folder, { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(projectFolder, join(folder, 'node_modules/tillgraph'));
  return folder;
}

test('`require` rejects `log`, because a function cannot reach the process of the sandbox', async () => {
  const script = `require('tillgraph/sandbox').startSandbox({ log() {} }).catch((error) => console.log(error.message))`;
  const cwd = installedPackage();
  const { stdout, code } = await startProcess(process.execPath, ['-e', script], { cwd }).ended;
  expect([code, stdout]).toEqual([
    0,
    'startSandbox: `log` is not supported with `require`; use `requests.list()` of the sandbox.\n',
  ]);
});

test.each(['refund.test.js', 'refund.test.cjs'])(
  'the test file of a developer, %s, passes in node:test, and its process ends',
  async (file) => {
    const cwd = installedPackage();
    const { stdout, code } = await startProcess(
      process.execPath,
      ['--test', '--test-reporter=tap', file],
      { cwd },
    ).ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/# pass 1\n# fail 0/)]);
  },
);

test('Vitest needs no settings for a linked package with a gateway', async () => {
  const cwd = installedPackage();
  symlinkSync(join(projectFolder, 'node_modules/vitest'), join(cwd, 'node_modules/vitest'));
  writeFileSync(
    join(cwd, 'viewer.test.js'),
    `import { expect, test } from 'vitest';
import { startSandbox } from 'tillgraph/sandbox';
test('a query', async () => {
  const sandbox = await startSandbox({ gateway: true });
  const { data } = await sandbox.graphql('{ viewer { id } }');
  expect(data).toEqual({ viewer: { id: 'app_' + sandbox.app.id } });
  await sandbox.close();
}, 60_000);`,
  );
  const runner = join(cwd, 'node_modules/vitest/vitest.mjs');
  const args = [runner, 'run', 'viewer.test.js'];
  const { stdout, stderr, code } = await startProcess(process.execPath, args, { cwd }).ended;
  expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/1 passed/)]);
});

const old = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '22.23.0' } })`;

test.each(['gateway.js', 'tillgraph.js', 'tillgraph-sandbox.js'])(
  'on an older Node, %s says in one line which version is needed',
  async (file) => {
    const args = ['--import', old, join(projectFolder, 'bin', file)];
    expect(await startProcess(process.execPath, args, { cwd: emptyFolder() }).ended).toEqual({
      ...{ code: 2, signal: null, stdout: '' },
      stderr: `Node 24 or newer is needed. This is Node ${process.version.slice(1)}.\n`,
    });
  },
);

test.each([
  "import('tillgraph/sandbox')",
  "Promise.resolve().then(() => require('tillgraph/sandbox'))",
])('on an older Node, %s is rejected with the same sentence', async (load) => {
  const script = `${load}.catch((error) => console.log(error.message))`;
  const args = ['--import', old, '--input-type=commonjs', '--eval', script];
  const cwd = installedPackage();
  const { stdout } = await startProcess(process.execPath, args, { cwd }).ended;
  expect(stdout).toMatch(/^Node 24 or newer is needed\. /);
});
