import { type ChildProcessByStdio, execFile, spawn, spawnSync } from 'node:child_process';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Stack, startStack } from '../support/start-stack.ts';
import { readCodeBlocks, readExamples, readMarkdownFiles } from './documents.ts';

// The commands of docs/events.md, in two terminals.

const text = readMarkdownFiles().find(({ path }) => path === 'docs/events.md')?.text ?? '';
const blocks = readCodeBlocks(text);
const [subscribe = '', pay = '', resume = ''] = blocks
  .filter(({ language }) => language === 'sh')
  .map(({ code }) => code);
const printed = blocks.find(({ language }) => language === 'text')?.code ?? '';

const curl = spawnSync('curl', ['--version']).error === undefined;

describe.skipIf(!curl)('the commands of docs/events.md', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ isCopied: true, controlPort: 0 });
  });
  afterAll(() => stack.close());

  const here = (command: string) =>
    command
      .replaceAll('http://127.0.0.1:4000', stack.url)
      .replaceAll('http://127.0.0.1:2226', stack.sandbox.controlUrl ?? '')
      .replaceAll('<demo key>', stack.sandbox.demoApp.key);

  /** Runs a command that does not end, in a terminal of its own. */
  function open(command: string) {
    const child: ChildProcessByStdio<null, Readable, null> = spawn(
      'sh',
      ['-c', `exec ${here(command)}`],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    onTestFinished(() => void child.kill());
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    /** The first messages, once there are so many. Comments only keep the connection open. */
    const messages = async (count: number) => {
      const all = () => output.split('\n\n').filter((one) => one.startsWith('event:'));
      await expect.poll(() => all().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
      return `${all().slice(0, count).join('\n\n')}\n`;
    };
    return { messages };
  }

  test('print what the document shows, and go on behind a cursor', async () => {
    const [capture, list] = readExamples(text).map(({ query }) => query);
    await stack.ask(capture ?? '');
    await expect
      .poll(() => stack.ask(list ?? ''))
      .toMatchObject({ data: { merchant: { events: { edges: [{ node: { seq: 1 } }] } } } });
    const first = open(subscribe);
    const beginning = await first.messages(1);
    await promisify(execFile)('sh', ['-c', here(pay)]);
    const both = await first.messages(2);
    expect(both.split('\n')).toEqual(printed.split('\n').map(toLine));
    const [, cursor = ''] = /"cursor":"([^"]+)"/.exec(beginning) ?? [];
    const again = open(resume.replace('<cursor>', cursor));
    expect(toEvents(await again.messages(2))).toEqual(toEvents(both));
  });
});

/** A printed line, in which `…` is the rest of a value. */
function toLine(line: string) {
  const parts = line.split('…').map((part) => part.replace(/[^\w ]/g, '\\$&'));
  return expect.stringMatching(new RegExp(`^${parts.join('[\\w-]+')}$`));
}

/** What messages tell, without their cursors. */
const toEvents = (messages: string) => messages.match(/"event":.*/g);
