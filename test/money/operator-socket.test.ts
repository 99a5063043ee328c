import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createOperator } from '../../src/gateway/open-operator.ts';
import { OperatorError } from '../../src/gateway/operation/operator/operator-error.ts';
import { askGateway } from '../../src/gateway/operation/operator/socket-client.ts';
import { PROTOCOL } from '../../src/gateway/operation/operator/socket-messages.ts';
import { socketPath } from '../../src/gateway/operation/operator/socket-path.ts';
import { serveOperator } from '../../src/gateway/operation/operator/socket-server.ts';
import type { SqlStore } from '../../src/gateway/operation/store/sql-store.ts';
import { patientGateway } from '../support/patience.ts';
import { emptyFolder } from '../support/program.ts';
import { signal } from './support/faults.ts';
import { controlledLimits } from './support/gateway-clock.ts';
import { newCapture, TRAIL_SNAPSHOT } from './support/new-intent.ts';
import { openPostgres } from './support/open-stores.ts';

let store: SqlStore;
beforeAll(async () => {
  store = await openPostgres();
});
afterAll(() => store?.close());

/** Nobody asked for a command, with which name and key. */
type Asked = { readonly by: string; readonly key: string | undefined }[];

/** Serves commands in a folder until the test ends. */
async function serve(folder: string, asked: Asked = []) {
  const { limits } = controlledLimits;
  const { upstream } = patientGateway;
  const socket = await serveOperator(folder, (by, key) => {
    asked.push({ by, key });
    return createOperator(store, { limits, upstream, pageMax: 100, by, key });
  });
  let open = true;
  const close = async () => {
    if (open) await socket.close();
    open = false;
  };
  onTestFinished(close);
  return close;
}

const never = new AbortController().signal;

/** What a command prints. False if no gateway listens in the folder. */
async function ask(folder: string, args: readonly string[], key?: string) {
  const printed: string[] = [];
  const request = { protocol: PROTOCOL, args, by: 'anna', ...(key === undefined ? {} : { key }) };
  const isDone = await askGateway(folder, request, (line) => void printed.push(line), never);
  return isDone && printed.join('\n');
}

/** What the gateway answers to a line. */
async function sendLine(folder: string, line: string): Promise<unknown> {
  const socket = createConnection(socketPath(folder));
  socket.write(`${line}\n`);
  return JSON.parse(await text(socket));
}

/** An operation that is being sent. */
async function addSending() {
  const { operation } = await store.claim(newCapture());
  await store.startSending(operation, TRAIL_SNAPSHOT);
  return operation;
}

/** An operation whose outcome is unknown. */
async function addUnknown() {
  const operation = await addSending();
  await store.record(operation, { to: 'UNKNOWN', response: null });
  return operation;
}

describe.skipIf(process.platform === 'win32')('the socket of the operator', () => {
  test('runs commands for the user of the gateway only, and leaves nothing behind', async () => {
    const folder = emptyFolder();
    expect(await ask(folder, ['list'])).toBe(false);
    const close = await serve(folder);
    const { id } = await addUnknown();
    expect(await ask(folder, ['list', '--open'])).toContain(`${id}  UNKNOWN  CAPTURE 0.40 EUR`);
    expect(readdirSync(folder)).toEqual(['operator.socket']);
    const { mode } = statSync(join(folder, 'operator.socket'));
    expect(mode & 0o777).toBe(0o600);
    await close();
    expect(readdirSync(folder)).toEqual([]);
    expect(await ask(folder, ['list'])).toBe(false);
  });

  test('passes on the name and the key of the operator, and the errors of a command', async () => {
    const folder = emptyFolder();
    const asked: Asked = [];
    await serve(folder, asked);
    const { id } = await addUnknown();
    await ask(folder, ['history', id]);
    const settle = ['resolve', id, '--applied', '--note', 'x'];
    const failure = await ask(folder, settle, 'a-key').catch((error) => error);
    expect(failure).toBeInstanceOf(OperatorError);
    expect(failure.message).toContain('PAYMENTS_URL is not set');
    expect(asked).toEqual([
      { by: 'anna', key: undefined },
      { by: 'anna', key: 'a-key' },
    ]);
    await ask(folder, [...settle, '--unverified'], 'a-key');
    expect((await store.history(id)).at(-1)).toMatchObject({ detail: { by: 'anna' } });
  });

  test('replaces the socket of a process that has died', async () => {
    const folder = emptyFolder();
    const dead = createServer().listen(join(folder, 'dead'));
    renameSync(join(folder, 'dead'), socketPath(folder));
    await new Promise((resolve) => dead.close(resolve));
    expect(existsSync(socketPath(folder))).toBe(true);
    expect(await ask(folder, ['list'])).toBe(false);
    await serve(folder);
    expect(await ask(folder, ['list'])).toMatch(/CAPTURE|There are no operations/);
  });

  test('is in a private temporary folder if the path of the data folder is too long', async () => {
    const folder = join(emptyFolder(), 'x'.repeat(100));
    mkdirSync(folder);
    expect(await ask(folder, ['list'])).toBe(false);
    const left = mkdtempSync(join(tmpdir(), 'tillgraph-operator-'));
    onTestFinished(() => rmSync(left, { recursive: true, force: true }));
    symlinkSync(join(left, 'socket'), socketPath(folder));

    const close = await serve(folder);
    expect(existsSync(left)).toBe(false);
    expect(readdirSync(folder)).toEqual(['operator.socket']);
    const address = readlinkSync(socketPath(folder));
    expect(statSync(dirname(address)).mode & 0o777).toBe(0o700);
    expect(statSync(address).mode & 0o777).toBe(0o600);
    expect(await ask(folder, ['list'])).toMatch(/CAPTURE|There are no operations/);
    await close();
    expect(readdirSync(folder)).toEqual([]);
    expect(existsSync(dirname(address))).toBe(false);
  });

  test('does not remove the socket of a process that has taken the folder', async () => {
    const folder = emptyFolder();
    const close = await serve(folder);
    const other = join(folder, 'other');
    writeFileSync(other, '');
    renameSync(other, socketPath(folder));
    await close();
    expect(lstatSync(socketPath(folder)).isFile()).toBe(true);
  });

  test('rejects another version, and what is not a request', async () => {
    const folder = emptyFolder();
    const asked: Asked = [];
    await serve(folder, asked);
    const request = { protocol: PROTOCOL, args: ['list'], by: 'anna' };
    const newer = JSON.stringify({ protocol: PROTOCOL + 1, command: 'list' });
    expect(await sendLine(folder, newer)).toEqual({
      exit: 2,
      error: 'The gateway has another version of Tillgraph than this command.',
    });
    const error = 'The gateway received a request that is not valid.';
    for (const line of [
      '?',
      'null',
      JSON.stringify({ ...request, args: 'list' }),
      JSON.stringify({ ...request, args: [1] }),
      JSON.stringify({ ...request, by: 1 }),
      JSON.stringify({ ...request, key: 1 }),
    ]) {
      expect(await sendLine(folder, line)).toEqual({ exit: 2, error });
    }
    expect(await sendLine(folder, JSON.stringify({ ...request, args: [] }))).toMatchObject({
      exit: 2,
      error: expect.stringContaining('Usage:'),
    });
    expect(asked).toEqual([]);
  });

  test('ends a connection whose request is too long', async () => {
    const folder = emptyFolder();
    const asked: Asked = [];
    await serve(folder, asked);
    const socket = createConnection(socketPath(folder));
    socket.on('error', () => {});
    const request = { protocol: PROTOCOL, args: ['list'], by: 'x'.repeat(200_000) };
    socket.write(`${JSON.stringify(request)}\n`);
    expect(await text(socket).catch(() => 'reset')).toMatch(/^(reset)?$/);
    expect(asked).toEqual([]);
  });

  test('stops although a client does not read what it asked for', async () => {
    const folder = emptyFolder();
    const asked: Asked = [];
    const close = await serve(folder, asked);
    const intents = Array.from({ length: 500 }, () => ({ ...newCapture(), key: 'k'.repeat(255) }));
    // One after the other: on a slow machine, the last of them would wait for too long.
    for (const intent of intents) {
      await store.claim({ ...intent, merchantId: intent.transactionId });
    }
    const socket = createConnection(socketPath(folder));
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write(
      `${JSON.stringify({ protocol: PROTOCOL, args: ['list', '--json'], by: 'anna' })}\n`,
    );
    await once(socket, 'readable');
    await close();
    expect(asked).toHaveLength(1);
    expect(await ask(folder, ['list'])).toBe(false);
  });

  test('follows operations until the gateway stops', async () => {
    const folder = emptyFolder();
    const close = await serve(folder);
    const sending = await addSending();
    const { id } = await addUnknown();
    const [shown, ended] = [signal(), signal()];
    const printed: string[] = [];
    const request = { protocol: PROTOCOL, args: ['watch', '--json'], by: 'anna' };
    const watching = askGateway(
      folder,
      request,
      (line) => {
        expect(line).not.toContain(sending.id);
        if (!line.includes(id)) return;
        printed.push(line);
        (printed.length === 1 ? shown : ended).send();
      },
      never,
    );
    const stopped = expect(watching).rejects.toThrow('The gateway has stopped.');
    await shown.sent;
    await store.settle(id, { applied: false, note: 'x', by: 'anna' });
    await ended.sent;
    await close();
    await stopped;
    expect(printed.map((line) => JSON.parse(line))).toMatchObject([
      { id, state: 'UNKNOWN', why: 'no valid response' },
      { id, state: 'NOT_APPLIED', why: null, evidence: 'OPERATOR' },
    ]);
  });
});

test('on Windows the socket is a named pipe of the folder', () => {
  const pipe = socketPath('data', 'win32');
  expect(pipe).toMatch(/^\\\\\.\\pipe\\tillgraph-[0-9a-f]{32}$/);
  expect(socketPath('other', 'win32')).not.toBe(pipe);
});
