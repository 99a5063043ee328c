import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createSpanQueue } from '../../src/gateway/observe/span-queue.ts';

const span = {
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  parentId: undefined,
  tracestate: undefined,
  name: 'query',
  kind: 'SERVER',
  start: 0,
  end: 1,
  attributes: {},
  isError: false,
} as const;
const recording = { spanCount: 1, toSpans: () => [span] };

test('a full queue is emptied, and later batches are full again', async () => {
  const sent: number[] = [];
  const dropped: number[] = [];
  let respond = () => {};
  const response = new Promise<boolean>((resolve) => {
    respond = () => resolve(true);
  });
  const queue = createSpanQueue(
    { delayMs: 600_000, queueSize: 3, batchSize: 2 },
    (spans) => {
      sent.push(spans.length);
      return response;
    },
    (result, count) => result === 'dropped' && dropped.push(count),
    (error) => expect.unreachable(String(error)),
  );
  onTestFinished(() => queue.close());
  // Two are sent, three wait, and one finds no place.
  for (let count = 0; count < 6; count++) queue.add(recording);
  expect([sent, dropped]).toEqual([[2], [1]]);
  respond();
  await setImmediate();
  expect(sent).toEqual([2, 2, 1]);
  for (let count = 0; count < 3; count++) queue.add(recording);
  // The third one waits for another one, or for its time.
  await setImmediate();
  expect(sent).toEqual([2, 2, 1, 2]);
  queue.add(recording);
  expect(sent).toEqual([2, 2, 1, 2, 2]);
});
