/** A measured point. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A straight line through points. */
export interface Line {
  readonly slope: number;
  readonly intercept: number;
  /** Share of the variance that the line explains: 1 if all points are on it. */
  readonly rSquared: number;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The line with the least squares of its distances in y. Needs two different x. */
export function fitLine(points: readonly Point[]): Line {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const sum = (term: (point: Point) => number) => points.reduce((all, one) => all + term(one), 0);
  const varianceX = sum(({ x }) => (x - meanX) ** 2);
  if (varianceX === 0) throw new RangeError('A line needs two points with different x.');
  const slope = sum(({ x, y }) => (x - meanX) * (y - meanY)) / varianceX;
  const intercept = meanY - slope * meanX;
  const varianceY = sum(({ y }) => (y - meanY) ** 2);
  const rest = sum(({ x, y }) => (y - intercept - slope * x) ** 2);
  return { slope, intercept, rSquared: varianceY === 0 ? 1 : 1 - rest / varianceY };
}

/** The exponent k of y = c * x^k that fits best: 1 if y grows as x does. Needs positive points. */
export function fitExponent(points: readonly Point[]): number {
  return fitLine(points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }))).slope;
}
