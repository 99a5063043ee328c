import { expect, test } from 'vitest';
import { fitExponent, fitLine } from '../../bench/fit.ts';

const line = (y: (x: number) => number) => [1, 5, 10, 20, 50, 100].map((x) => ({ x, y: y(x) }));

test('points on a line give the line', () => {
  const { slope, intercept, rSquared } = fitLine(line((x) => 3 * x + 70));
  expect(slope).toBeCloseTo(3);
  expect(intercept).toBeCloseTo(70);
  expect(rSquared).toBeCloseTo(1);
});

test('known data give the known fit', () => {
  // Anscombe's first set: every text on regression has its line.
  const x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
  const y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
  const { slope, intercept, rSquared } = fitLine(
    x.map((one, index) => ({ x: one, y: y[index] ?? 0 })),
  );
  expect(slope).toBeCloseTo(0.5, 3);
  expect(intercept).toBeCloseTo(3, 3);
  expect(rSquared).toBeCloseTo(0.667, 3);
});

test('points at one height are on their line', () => {
  expect(fitLine(line(() => 4))).toEqual({ slope: 0, intercept: 4, rSquared: 1 });
});

test('a line needs two different x', () => {
  expect(() =>
    fitLine([
      { x: 1, y: 1 },
      { x: 1, y: 2 },
    ]),
  ).toThrow(RangeError);
});

test.each([0.5, 1, 2])('a power of %d has that exponent', (power) => {
  expect(fitExponent(line((x) => 7 * x ** power))).toBeCloseTo(power);
});
