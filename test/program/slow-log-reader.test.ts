import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createAsk } from '../support/ask.ts';
import { freePorts, projectFolder, usedPostgres } from '../support/program.ts';

/** Throws an error that nobody catches, when it gets the signal. */
const THROWS = "data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('thrown')})";

/** Each request writes its name to the log. */
const NAME = 'n'.repeat(5_000);

/** Starts the program. Nobody reads its log before `read` is called. */
async function startUnread() {
  const settings = await usedPostgres();
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(
    process.execPath,
    [...inject('nodeFlags'), '--import', THROWS, join(projectFolder, 'bin/gateway.js')],
    {
      cwd: settings.DATA_DIR,
      env: {
        ...{ PATH, HOME, LOG_LEVEL: 'info', OPERATION_NAMES: 'on', RATE_LIMIT_PER_MINUTE: '0' },
        ...freePorts,
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  let screen = '';
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    screen += chunk;
    if (/\n {2}Metrics +.+\n/.test(screen)) break;
  }
  child.stdout.resume();
  const ask = createAsk(/GraphiQL +(\S+)\/graphql/.exec(screen)?.[1] ?? '');
  let log = '';
  return {
    child,
    ended,
    request: async (count: number) => {
      for (let sent = 0; sent < count; sent++) {
        expect((await ask(`query ${NAME} { __typename }`)).data).toEqual({ __typename: 'Query' });
      }
    },
    read: () =>
      child.stderr.setEncoding('utf8').on('data', (chunk) => {
        log += chunk;
      }),
    text: () => log,
    /** How many lines of requests were written as a whole. */
    lines: () =>
      log
        .split('\n')
        .filter((line) => line.startsWith('{') && JSON.parse(line).operationName === NAME).length,
  };
}

/** What the pipe and Node together take at least, and a hundred lines more. */
const MANY = 400;

test('while nobody reads the log, requests are answered, and no line is lost if there is room', async () => {
  const { child, ended, request, read, lines, text } = await startUnread();
  await request(MANY);
  read();
  await request(1);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(lines()).toBe(MANY + 1);
  expect(text().trimEnd().split('\n').at(-1)).toContain('The gateway has stopped.');
});

test('lines for which there is no room are counted', async () => {
  const { child, ended, request, read, lines, text } = await startUnread();
  const sent = 2 * MANY + 600;
  await request(sent);
  read();
  const dropped = /"msg":"(\d+) lines of the log were dropped/;
  while (!dropped.test(text())) await once(child.stderr, 'data');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(lines() + Number(dropped.exec(text())?.[1])).toBe(sent);
});

test('an error that nobody catches ends the process after the lines that were kept', async () => {
  const { child, ended, request, read, lines, text } = await startUnread();
  await request(MANY);
  child.kill('SIGUSR2');
  read();
  expect(await ended).toEqual([1, null]);
  expect(lines()).toBe(MANY);
  expect(text()).toContain('Error: thrown');
});

test('the program stops although nobody reads its log', async () => {
  const { child, request } = await startUnread();
  await request(MANY);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
