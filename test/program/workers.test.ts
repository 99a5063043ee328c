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

test('workers answer in turn, are replaced, and stop together', async () => {
  const { program } = await startWorkers();
  expect(program.screen).toContain(
    `Tillgraph is running with 2 workers, as process ${program.pid}.`,
  );
  for (let count = 0; count < 4; count++) expect(await send(program)).toMatchObject(NAME);
  const ready = await fetch(program.metricsUrl.replace('/metrics', '/ready'));
  expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready' }]);

  // A worker that is killed is replaced, while the other one answers.
  const [killed = 0, ...others] = workersOf(program);
  expect(others).toHaveLength(1);
  process.kill(killed, 'SIGKILL');
  await program.reported(/Worker [12] ended \(SIGKILL\)\. Another one takes its place\./);
  expect(await send(program)).toMatchObject(NAME);
  await expect.poll(() => workersOf(program)).toEqual([...others, expect.any(Number)]);

  const workers = workersOf(program);
  expect(workers).not.toContain(killed);
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
  await running.reported(/A worker has failed: spawn .*ENOENT/);
  await running.reported(/Worker \d did not start\. It is started again after a pause\./);
  renameSync(`${node}-moved`, node);
  await expect.poll(() => workersOf(running).length).toBe(2);
  expect(await running.stop()).toMatchObject({ code: 0, signal: null });
});

test('SIGHUP replaces the workers one after the other, with the settings of that time', async () => {
  const folder = emptyFolder();
  const env = join(folder, '.env');
  writeFileSync(env, 'MAX_ROOT_FIELDS=1\n');
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

  writeFileSync(env, 'MAX_ROOT_FIELDS=2\n');
  process.kill(program.pid, 'SIGHUP');
  await program.reported(/All 2 workers were replaced\./);
  for (let count = 0; count < 2; count++) expect(await send(program, two)).toMatchObject(NAME);
  const after = workersOf(program);
  expect(before.filter((pid) => after.includes(pid))).toEqual([]);

  // What is not active yet does not become active when a worker ends.
  writeFileSync(env, 'MAX_ROOT_FIELDS=1\n');
  process.kill(after[0] ?? 0, 'SIGKILL');
  await expect.poll(() => workersOf(program).length).toBe(1);
  await expect.poll(() => workersOf(program).length).toBe(2);
  for (let count = 0; count < 4; count++) expect(await send(program, two)).toMatchObject(NAME);

  writeFileSync(env, 'MAX_ROOT_FIELDS=none\n');
  process.kill(program.pid, 'SIGHUP');
  await program.reported(/The new worker 1 did not start\. The earlier workers continue\./);
  await program.reported(/MAX_ROOT_FIELDS/);
  expect(await send(program, two)).toMatchObject(NAME);
  expect(workersOf(program)).toHaveLength(2);

  // A worker that is about to start is stopped, too.
  writeFileSync(env, '');
  process.kill(program.pid, 'SIGHUP');
  await expect.poll(() => workersOf(program).length).toBe(3);
  expect(await program.stop('SIGTERM')).toMatchObject({ code: 0, signal: null });
});

test('all workers stop calling a service together, and one of them tries it again', async () => {
  let isDown = true;
  const { program, service } = await startWorkers(
    { UPSTREAM_GET_RETRIES: '0', BREAKER_OPEN_MS: '1000', COALESCE: 'off' },
    {
      'GET /me': (_request, response) => {
        if (isDown) response.socket?.destroy();
        else response.end(JSON.stringify({ identity: { id: 'a1', name: 'Demo' } }));
      },
    },
  );
  const start = performance.now();
  /** Five failures stop the calls, of which others learn soon; then one call follows each pause. */
  const mostCalls = () => 6 + Math.floor((performance.now() - start) / 1_000);
  for (let count = 0; count < 12; count++) {
    expect(await send(program)).toMatchObject({ errors: [{}] });
  }
  expect(service.requests.length).toBeGreaterThanOrEqual(5);
  expect(service.requests.length).toBeLessThanOrEqual(mostCalls());
  const before = service.requests.length;
  await expect
    .poll(async () => {
      await send(program);
      return service.requests.length;
    })
    .toBeGreaterThan(before);
  expect(service.requests.length).toBeLessThanOrEqual(mostCalls());
  isDown = false;
  await expect.poll(() => send(program)).toMatchObject(NAME);
  expect(service.requests.length).toBeLessThanOrEqual(mostCalls());
  for (let count = 0; count < 2; count++) expect(await send(program)).toMatchObject(NAME);
  // Workers that have been replaced know what the others know.
  process.kill(program.pid, 'SIGHUP');
  await program.reported(/All 2 workers were replaced/);
  isDown = true;
  for (let count = 0; count < 12; count++) await send(program);
  const { stderr } = await program.stop();
  expect(stderr.match(/"payments\\" is not called at the moment/g)).toHaveLength(2);
  expect(stderr.match(/"payments\\" is called again/g)).toHaveLength(1);
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

test('several workers need PostgreSQL and given services', async () => {
  const ended = await runProgram({ DATA_DIR: emptyFolder(), WORKERS: '3' });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain(
    'WORKERS=3 also needs DATABASE_URL, USERS_URL, PAYMENTS_URL and POS_URL',
  );
});
