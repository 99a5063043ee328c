import { expect, test } from 'vitest';
import {
  newSpanId,
  newTraceparent,
  readTraceparent,
} from '../../src/gateway/observe/traceparent.ts';

/** More than are made at a time. */
const headers = Array.from({ length: 2_000 }, newTraceparent);

test('new headers are valid, and their traces are not sampled', () => {
  for (const header of headers) {
    expect(header).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    const [, traceId, spanId] = header.split('-');
    expect(readTraceparent(header)).toEqual({ traceId, spanId, isSampled: false });
  }
});

test('each new header has ids of its own', () => {
  const spans = Array.from({ length: 2_000 }, newSpanId);
  const ids = headers.flatMap((header) => header.split('-').slice(1, 3));
  expect(new Set([...ids, ...spans]).size).toBe(6_000);
});

test('each digit of new ids takes every value, but the first bytes are odd', () => {
  const positions = [...'x'.repeat(55)].map((_, at) => {
    return [...new Set(headers.map((header) => header[at]))].sort().join('');
  });
  const odd = '13579bdf';
  const any = '0123456789abcdef';
  const id = (bytes: number) => [any, odd, ...new Array<string>(2 * bytes - 2).fill(any)];
  expect(positions).toEqual(['0', '0', '-', ...id(16), '-', ...id(8), '-', '0', '0']);
});
