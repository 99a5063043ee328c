import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProcess } from '../support/process.ts';
import { emptyFolder, projectFolder } from '../support/program.ts';

// `tillgraph/sandbox` in the test runners of others, as they are installed, without settings.

const JEST = 'jest@30';

/** A package with the project as its dependency. */
function newPackage(type: 'module' | 'commonjs'): string {
  const folder = emptyFolder();
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
  return folder;
}

function link(folder: string, name: string, target: string): void {
  symlinkSync(join(projectFolder, target), join(folder, 'node_modules', name));
}

test('in Jest, which cannot load ES modules', async () => {
  const cwd = newPackage('commonjs');
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', JEST];
  expect((await startProcess('npm', install, { cwd }).ended).code).toBe(0);
  link(cwd, 'tillgraph', '.');
  writeFileSync(
    join(cwd, 'sandbox.test.js'),
    `const { startSandbox } = require('tillgraph/sandbox');
test('a sandbox', async () => {
  const sandbox = await startSandbox({ gateway: true });
  expect((await sandbox.clock.read()).frozen).toBe(false);
  await expect(sandbox.expire('f'.repeat(24))).rejects.toMatchObject({ status: 404 });
  await sandbox.close();
}, 60_000);`,
  );
  const runner = join(cwd, 'node_modules/jest/bin/jest.js');
  const { stderr, code } = await startProcess(process.execPath, [runner], { cwd }).ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 passed')]);
});

test('in Vitest', async () => {
  const cwd = newPackage('module');
  link(cwd, 'tillgraph', '.');
  link(cwd, 'vitest', 'node_modules/vitest');
  writeFileSync(
    join(cwd, 'sandbox.test.js'),
    `import { expect, test } from 'vitest';
import { startSandbox } from 'tillgraph/sandbox';
test('a sandbox', async () => {
  const sandbox = await startSandbox();
  expect((await sandbox.clock.read()).frozen).toBe(false);
  await sandbox.close();
}, 60_000);`,
  );
  const runner = join(cwd, 'node_modules/vitest/vitest.mjs');
  const { stdout, code } = await startProcess(process.execPath, [runner, 'run'], { cwd }).ended;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/1 passed/)]);
});
