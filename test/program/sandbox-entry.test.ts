import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
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
    const { stdout, code } = await startProcess(process.execPath, ['--test', file], { cwd }).ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/# pass 1\n# fail 0/)]);
  },
);
