import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startProcess } from '../support/process.ts';
import { emptyFolder, projectFolder } from '../support/program.ts';

const VERSION = 26;
const name = `node-linux-${process.arch}`;
const why = process.platform === 'linux' ? '' : ' (skipped: the packages of Node are for Linux)';

test.skipIf(why !== '')(`the gateway works on Node ${VERSION}, too${why}`, async () => {
  const cwd = emptyFolder();
  const install = ['install', '--no-audit', '--no-fund', `${name}@${VERSION}`];
  expect((await startProcess('npm', install, { cwd }).ended).code).toBe(0);
  const node = join(cwd, 'node_modules', name, 'bin/node');
  const PATH = `${dirname(node)}:${process.env.PATH}`;
  const vitest = join(projectFolder, 'node_modules/vitest/vitest.mjs');
  const folders = ['unit', 'gateway', 'money', 'program', 'telemetry'].map((of) => `test/${of}`);
  const options = { cwd: projectFolder, env: { ...process.env, PATH } };
  const { code, stdout } = await startProcess(node, [vitest, 'run', ...folders], options).ended;
  expect(code, stdout).toBe(0);
});
