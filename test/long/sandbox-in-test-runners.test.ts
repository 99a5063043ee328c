import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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

test('in node:test, from a package that `npm pack` made', async () => {
  const cwd = newPackage('module');
  const pack = ['pack', '--pack-destination', cwd];
  expect((await startProcess('npm', pack, { cwd: projectFolder }).ended).code).toBe(0);
  const { version } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8'));
  const install = ['install', '--no-audit', '--no-fund', `./tillgraph-${version}.tgz`];
  expect((await startProcess('npm', install, { cwd }).ended).code).toBe(0);
  const help = await startProcess('npx', ['tillgraph-sandbox', '--help'], { cwd }).ended;
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('--control-port')]);
  writeFileSync(
    join(cwd, 'sandbox.test.js'),
    `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSandbox } from 'tillgraph/sandbox';
test('every page is complete', async () => {
  const { graphqlUrl, controlUrl, posUrl, graphql, close } = await startSandbox({ gateway: true });
  const files = ['/', '/page/start.js'].map((path) => controlUrl + path);
  for (const url of [...files, graphqlUrl, graphqlUrl.replace('graphql', 'schema')]) {
    const { status } = await fetch(url, { headers: { accept: 'text/html', connection: 'close' } });
    assert.equal(status, 200, url);
  }
  assert.equal((await fetch(posUrl, { headers: { connection: 'close' } })).status, 400);
  assert.equal((await graphql('{ viewer { __typename } }')).errors, undefined);
  await close();
});`,
  );
  const { stdout, code } = await startProcess(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd,
  }).ended;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/# pass 1\n# fail 0/)]);
});
