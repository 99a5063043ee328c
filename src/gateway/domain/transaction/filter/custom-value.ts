import { isObject } from '../../../upstream/record.ts';

/** The value at a path of keys and indexes; undefined if there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    // A client can send a path of many thousands of keys.
    if (current === undefined) break;
    if (Array.isArray(current)) current = INDEX.test(key) ? current[Number(key)] : undefined;
    else current = isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return current;
}

const INDEX = /^\d+$/;

/** Deeper values equal nothing and are not searched: the recursion would overflow the stack. */
const MAX_DEPTH = 200;

/** Whether two JSON values are equal. The order of keys does not matter. */
export function areEqual(one: unknown, other: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  const same = (a: unknown, b: unknown) => areEqual(a, b, depth + 1);
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => same(value, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
    );
  }
  return one === other;
}

/** Whether any string in a JSON value contains `part`, which is lowercase. Case-insensitive. */
export function containsPart(value: unknown, part: string, depth = 0): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(part);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  return Object.values(value).some((inner) => containsPart(inner, part, depth + 1));
}
