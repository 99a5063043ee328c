import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startProcess } from '../support/process.ts';
import {
  emptyFolder,
  freePorts,
  type Program,
  projectFolder,
  runProgram,
  startNode,
} from '../support/program.ts';
import { startStubService } from '../support/stub-service.ts';
import { NAME, send, servicesAt, startWorkers, workersOf } from '../support/workers.ts';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Values of a metric, of each worker. */
async function valuesOf({ metricsUrl }: Program, name: string): Promise<number[]> {
  const texts = metricsUrl.split(' ').map(async (url) => (await fetch(url)).text());
  const lines = (await Promise.all(texts)).map((text) =>
    text.split('\n').filter((line) => line.startsWith(name)),
  );
  return lines.map((found) => found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0));
}

const REQUESTS = 'graphql_server_request_duration_count';

test('workers answer in turn, show their own metrics, are replaced, and stop together', async () => {
  const { program } = await startWorkers();
  expect(program.screen).toContain(
    `Tillgraph is running with 2 workers, as process ${program.pid}.`,
  );
  for (let count = 0; count < 4; count++) expect(await send(program)).toMatchObject(NAME);
  expect(await valuesOf(program, REQUESTS)).toEqual([2, 2]);
  for (const metricsUrl of program.metricsUrl.split(' ')) {
    const ready = await fetch(metricsUrl.replace('/metrics', '/ready'));
    expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready' }]);
  }

  // A worker that is killed is replaced, while the other one answers.
  const [killed = 0, ...others] = workersOf(program);
  expect(others).toHaveLength(1);
  process.kill(killed, 'SIGKILL');
  await program.reported(/Worker [01] ended \(SIGKILL\)\. A new worker replaces it\./);
  expect(await send(program)).toMatchObject(NAME);
  await expect.poll(() => workersOf(program)).toEqual([...others, expect.any(Number)]);
  const workers = workersOf(program);
  expect(workers).not.toContain(killed);
  // The new one has the port of the one before it.
  await expect
    .poll(() => valuesOf(program, 'tillgraph_build').catch(() => 'not yet'))
    .toEqual([1, 1]);

  const ended = await program.stop('SIGTERM');
  expect(ended).toMatchObject({ code: 0, signal: null });
  expect(ended.stderr).toContain('(SIGKILL)');
  expect(workers.filter(isRunning)).toEqual([]);
});

test('a worker whose process cannot be created is started later', async () => {
  const folder = emptyFolder();
  const node = join(folder, 'node');
  copyFileSync(process.execPath, node);
  const service = await startStubService({});
  onTestFinished(() => service.close());
  const env = { ...freePorts, ...(await servicesAt(service.url)) };
  const running = startProcess(node, [join(projectFolder, 'bin/gateway.js')], { cwd: folder, env });
  await running.printed(/Tillgraph is running with 2 workers/);
  const [killed = 0] = workersOf(running);
  renameSync(node, `${node}-moved`);
  process.kill(killed, 'SIGKILL');
  await running.reported(/Worker [01] failed: spawn .*ENOENT/);
  await running.reported(/Worker \d did not start\. It will be started again after a pause\./);
  renameSync(`${node}-moved`, node);
  await expect.poll(() => workersOf(running).length).toBe(2);
  expect(await running.stop()).toMatchObject({ code: 0, signal: null });
});

test('SIGHUP replaces the workers one after the other, with the settings of that time', async () => {
  const folder = emptyFolder();
  const env = join(folder, '.env');
  writeFileSync(env, 'MAX_DEPTH=1\n');
  const service = await startStubService({
    'GET /me': { json: { identity: { id: 'a1', name: 'Demo' } } },
  });
  onTestFinished(() => service.close());
  const settings = { ...(await servicesAt(service.url)), PORT: '0' };
  const running = startNode(['bin/gateway.js'], settings, projectFolder, folder);
  const { 1: url = '' } = await running.printed(/GraphiQL +(\S+)\/graphql[\s\S]*Metrics/);
  const program = { ...running, url } as Program;
  const two = { query: '{ __typename viewer { name } }' };
  expect(await send(program, two)).toMatchObject({ errors: [{}] });
  const before = workersOf(program);

  writeFileSync(env, 'MAX_DEPTH=2\n');
  process.kill(program.pid, 'SIGHUP');
  await program.reported(/All 2 workers were replaced\./);
  for (let count = 0; count < 2; count++) expect(await send(program, two)).toMatchObject(NAME);
  const after = workersOf(program);
  expect(before.filter((pid) => after.includes(pid))).toEqual([]);

  // What is not active yet does not become active when a worker ends.
  writeFileSync(env, 'MAX_DEPTH=1\n');
  process.kill(after[0] ?? 0, 'SIGKILL');
  await expect.poll(() => workersOf(program).length).toBe(1);
  await expect.poll(() => workersOf(program).length).toBe(2);
  for (let count = 0; count < 4; count++) expect(await send(program, two)).toMatchObject(NAME);

  writeFileSync(env, 'MAX_DEPTH=none\n');
  process.kill(program.pid, 'SIGHUP');
  await program.reported(/The new worker 0 did not start\. The earlier workers continue\./);
  await program.reported(/MAX_DEPTH/);
  expect(await send(program, two)).toMatchObject(NAME);
  expect(workersOf(program)).toHaveLength(2);

  // A worker that is about to start is stopped, too.
  writeFileSync(env, '');
  process.kill(program.pid, 'SIGHUP');
  await expect.poll(() => workersOf(program).length).toBe(3);
  expect(await program.stop('SIGTERM')).toMatchObject({ code: 0, signal: null });
});

test('each worker stops calling a service by itself, and the log says which one', async () => {
  const { program } = await startWorkers(
    { UPSTREAM_GET_RETRIES: '0', COALESCE: 'off' },
    { 'GET /me': (_request, response) => void response.socket?.destroy() },
  );
  await Promise.all(Array.from({ length: 40 }, () => send(program)));
  await program.reported(/has stopped calling the service[\s\S]*has stopped calling the service/);
  const { stderr } = await program.stop();
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const stopped = lines.filter(({ msg }) => msg.includes('has stopped calling the service'));
  expect(new Set(stopped.map(({ worker }) => worker))).toEqual(new Set([0, 1]));
});

test('while a worker is replaced, its port shows the metrics of the new one only', async () => {
  let answer: () => void = () => {};
  const arrived = Promise.withResolvers<void>();
  const { program } = await startWorkers(
    {},
    {
      'GET /me': (_request, response) => {
        answer = () => response.end(JSON.stringify({ identity: { id: 'a1', name: 'Demo' } }));
        arrived.resolve();
      },
    },
  );
  const [old] = workersOf(program);
  const sent = send(program);
  await arrived.promise;
  process.kill(program.pid, 'SIGHUP');
  await expect.poll(() => workersOf(program).length).toBe(3);
  const active = 'graphql_server_active_requests{';
  await expect.poll(() => valuesOf(program, active)).toEqual([0, 0]);
  for (let count = 0; count < 4; count++) expect(await valuesOf(program, active)).toEqual([0, 0]);
  expect(workersOf(program)).toContain(old);
  answer();
  expect(await sent).toMatchObject(NAME);
  await program.reported(/All 2 workers were replaced\./);
});

test('workers finish their requests and end if the primary is killed', async () => {
  let finish: () => void = () => {};
  const arrived = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let answer: () => void = () => {};
  const { program } = await startWorkers(
    {},
    {
      'GET /me': (_request, response) => {
        answer = () => response.end(JSON.stringify({ identity: { id: 'a1', name: 'Demo' } }));
        finish();
      },
    },
  );
  const workers = workersOf(program);
  const sent = send(program);
  await arrived;
  process.kill(program.pid, 'SIGKILL');
  await expect.poll(() => workers.filter(isRunning).length).toBe(1);
  answer();
  expect(await sent).toMatchObject(NAME);
  await expect.poll(() => workers.filter(isRunning)).toEqual([]);
});

test('what keeps a worker from starting is said once, and ends the program', async () => {
  const settings = await servicesAt('http://127.0.0.1:1');
  const ended = await runProgram({
    ...settings,
    PERSISTED_DOCUMENTS: 'only',
    PERSISTED_DOCUMENTS_PATH: '/nothing',
  });
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr.match(/^The documents of PERSISTED_DOCUMENTS_PATH/gm)).toHaveLength(1);
});

test('several workers need ports for their metrics', async () => {
  const settings = { ...(await servicesAt('http://127.0.0.1:1')), OPERATIONS_PORT: '0' };
  const ended = await runProgram(settings);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('WORKERS=2 requires an OPERATIONS_PORT other than 0');
});

test('several workers need PostgreSQL and given services', async () => {
  const ended = await runProgram({ DATA_DIR: emptyFolder(), WORKERS: '3' });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain(
    'WORKERS=3 requires DATABASE_URL, USERS_URL, PAYMENTS_URL and POS_URL',
  );
});
