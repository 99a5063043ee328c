import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counter, histogram } from '../../src/gateway/observe/instrument.ts';
import { toPrometheus } from '../../src/gateway/observe/prometheus.ts';
import { createRegistry } from '../../src/gateway/observe/registry.ts';

const about = { unit: '1', description: 'Counts.', caution: '', attributes: { a: '', b: '' } };
const calls = counter({ ...about, name: 'calls' });
const times = histogram([1, 2], { ...about, name: 'times', unit: 's' });

test('what is too much is counted in one series for each metric', async () => {
  // Both can need a series for what is too much: 1 and 5. So a counter can have four of its own.
  const registry = createRegistry([calls, times], 10);
  for (let index = 0; index < 100; index++) registry.add(calls, 1, `value ${index}`);
  registry.add(times, 1, 'x');
  const lines = toPrometheus(await registry.collect()).split('\n');
  expect(lines.filter((line) => line.startsWith('calls_total'))).toEqual([
    ...[0, 1, 2, 3].map((index) => `calls_total{a="value ${index}"} 1`),
    'calls_total{otel_metric_overflow="true"} 96',
  ]);
  expect(lines).toContain('times_seconds_count{otel_metric_overflow="true"} 1');
  expect(registry.count()).toBeLessThanOrEqual(10);
});

test('a series stays the same, also that of what is too much', () => {
  const registry = createRegistry([calls], 3);
  const [first, second] = [registry.find(calls, 'x'), registry.find(calls, 'y')];
  expect(second).not.toBe(first);
  expect([registry.find(calls, 'x'), registry.find(calls, 'y')]).toEqual([first, second]);
  expect(registry.find(calls, 'z')).toBe(registry.find(calls, 'w'));
  expect(registry.find(calls, 'x')).toBe(first);
});

test('values are added to the series with the same attributes, in any order', async () => {
  const value = fc.constantFrom('x', 'y', 'z', undefined);
  const figure = fc.integer({ min: 1, max: 9 });
  // The last attribute may be left out.
  const added = fc.array(fc.oneof(fc.tuple(figure, value, value), fc.tuple(figure, value)));
  await fc.assert(
    fc.asyncProperty(added, async (figures) => {
      const registry = createRegistry([calls]);
      const sums = new Map<string, number>();
      for (const [figure, ...values] of figures) {
        registry.add(calls, figure, ...values);
        const [a, b] = values;
        const key = JSON.stringify({ a, b });
        sums.set(key, (sums.get(key) ?? 0) + figure);
      }
      const [metric] = await registry.collect();
      const found = metric?.series.map(({ attributes, value }) => [
        JSON.stringify(attributes),
        value,
      ]);
      // In the order in which the series were added, too.
      expect(found ?? []).toEqual([...sums]);
    }),
  );
});

test('the buckets of a histogram contain their bounds, and all smaller ones', async () => {
  const registry = createRegistry([times]);
  for (const value of [0, 1, 1.5, 2, 2.1]) registry.add(times, value, undefined, 'y');
  expect(
    toPrometheus(await registry.collect())
      .split('\n')
      .slice(2),
  ).toEqual([
    'times_seconds_bucket{b="y",le="1"} 2',
    'times_seconds_bucket{b="y",le="2"} 4',
    'times_seconds_bucket{b="y",le="+Inf"} 5',
    'times_seconds_sum{b="y"} 6.6',
    'times_seconds_count{b="y"} 5',
    '',
  ]);
});

test('values with quotes, backslashes and new lines are escaped', async () => {
  const registry = createRegistry([calls]);
  registry.add(calls, 1, 'a"b\\c\nd');
  expect(toPrometheus(await registry.collect())).toContain('calls_total{a="a\\"b\\\\c\\nd"} 1');
});

test('a value that cannot be read is left out, and the others are shown', async () => {
  const registry = createRegistry([calls, times]);
  registry.observe(calls, () => Promise.reject(new Error('not now')));
  registry.add(times, 1);
  expect((await registry.collect()).map(({ instrument }) => instrument.name)).toEqual(['times']);
});

test('values that must be waited for are read at the same time', async () => {
  const others = counter({ ...about, name: 'others' });
  const registry = createRegistry([calls, others]);
  let begin: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  registry.observe(calls, async () => {
    await begun;
    return [[1]];
  });
  registry.observe(others, () => {
    begin();
    return [[2]];
  });
  const values = (await registry.collect()).map(({ series }) => series.map(({ value }) => value));
  expect(values).toEqual([[1], [2]]);
});
