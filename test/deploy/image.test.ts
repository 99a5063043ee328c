import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createAsk } from '../support/ask.ts';
import { type Running, startProcess } from '../support/process.ts';
import { copyForProduction } from '../support/production-install.ts';
import { projectFolder, type Settings } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { preparedPostgres } from '../support/storage.ts';
import { image } from './containerfile.ts';
import { container, read } from './manifests.ts';

const { scripts } = JSON.parse(read('package.json'));
const isRoot = process.getuid?.() === 0;
/** The user of the image, or the user of the tests if it cannot be chosen. */
const user = isRoot ? image.user : undefined;
const canRun =
  spawnSync(process.execPath, ['--version'], user === undefined ? {} : { uid: user, gid: user })
    .status === 0;
if (!canRun) console.warn(`Skipped: user ${image.user} cannot run ${process.execPath}.`);

let home: string;
let tree: string;

/** What the steps of the image leave, in a folder that nobody can change. */
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'tillgraph-image-'));
  chmodSync(home, 0o755);
  tree = join(home, 'app');
  mkdirSync(tree);
  copyForProduction(image.copied, tree);
  execFileSync('chmod', ['-R', 'a-w,a+rX', tree]);
});

afterAll(() => {
  execFileSync('chmod', ['-R', 'u+w', home]);
  rmSync(home, { recursive: true });
});

/** Starts Node in the image's folder. */
function start(args: readonly string[], settings: Settings): Running {
  const env = { ...image.environment, ...settings };
  return startProcess(process.execPath, args, { cwd: tree, env, user });
}

/** Starts the image in front of a sandbox, and waits for its ports. */
async function startGateway(settings: Settings = {}) {
  const sandbox = await startTestSandbox();
  onTestFinished(() => sandbox.close());
  const gateway = start(image.command, {
    PORT: '0',
    OPERATIONS_PORT: '0',
    DRAIN_DELAY_MS: '0',
    USERS_URL: sandbox.usersUrl,
    PAYMENTS_URL: sandbox.paymentsUrl,
    POS_URL: sandbox.posUrl,
    DATABASE_URL: await preparedPostgres(),
    ...settings,
  });
  const [, http = ''] = await gateway.printed(/http:\/\/0\.0\.0\.0:(\d+)\/graphql\n/);
  const [, operations = ''] = await gateway.printed(/http:\/\/127\.0\.0\.1:(\d+)\/metrics\n/);
  return { gateway, key: sandbox.demoApp.key, ports: { http, operations } };
}

test('the image has the parts of the project that it copies, and no step that needs a shell', () => {
  const allowed = read('.dockerignore').split('\n');
  for (const part of image.copied) {
    expect(existsSync(join(projectFolder, part)), part).toBe(true);
    expect(allowed).toContain(`!${part}`);
  }
  expect(image.instructions).not.toContain('RUN');
  expect(image.instructions).not.toContain('SHELL');
  expect(image.user).toBeGreaterThan(0);
});

test('the image is built and started as the documents say', () => {
  expect(`node ${image.command.join(' ')}`).toBe(scripts.start);
  expect(image.commands).toEqual([
    expect.stringMatching(/^npm ci --omit=dev --omit=optional --ignore-scripts /),
  ]);
  expect(image.healthCheck).toEqual([...image.entrypoint, 'deploy/health-check.js']);
});

test('the image has the version of Node that `.nvmrc` names', () => {
  const version = read('.nvmrc').trim();
  const [build, run] = image.bases;
  expect(build).toContain(`/node:${version}-`);
  expect(run).toContain(`/nodejs${version}-`);
});

test.runIf(canRun)('it cannot change its own files', async () => {
  const write = "require('node:fs').writeFileSync('bin/gateway.js', '')";
  const { code, stderr } = await start(['-e', write], {}).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('EACCES');
});

test.runIf(canRun)('it answers a query without writing a file, and stops at SIGTERM', async () => {
  const { gateway, key, ports } = await startGateway();
  const { data } = await createAsk(`http://127.0.0.1:${ports.http}`)(
    '{ viewer { name } }',
    {},
    key,
  );
  expect(data).toEqual({ viewer: { name: 'Demo' } });
  expect(await gateway.stop()).toMatchObject({ code: 0 });
});

test.runIf(canRun)('it shows GraphiQL without writing a file', async () => {
  const { ports } = await startGateway({ GRAPHIQL: 'on' });
  const headers = { accept: 'text/html' };
  const page = await fetch(`http://127.0.0.1:${ports.http}/graphql`, { headers });
  expect(page.status).toBe(200);
});

test.runIf(canRun)('its health check and the probes of the manifests succeed', async () => {
  const { gateway, ports } = await startGateway();
  const [, file = ''] = image.healthCheck;
  expect(await start([file], { PORT: ports.http }).ended).toMatchObject({ code: 0, stderr: '' });
  const { startupProbe, livenessProbe, readinessProbe } = container;
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
    const port = httpGet.port === 'operations' ? ports.operations : ports.http;
    expect((await fetch(`http://127.0.0.1:${port}${httpGet.path}`)).status).toBe(200);
  }
  await gateway.stop();
  expect(await start([file], { PORT: ports.http }).ended).toMatchObject({ code: 1, stderr: '' });
});

test.runIf(canRun)('it does not start without DATABASE_URL', async () => {
  const { code, stderr } = await start(image.command, { PORT: '0' }).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^DATA_DIR: .+ cannot be written \(EACCES\)\.\n$/);
});
