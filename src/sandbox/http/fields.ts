import type { Body } from './body.ts';
import { badInput, type FieldFault } from './refusal.ts';

/** Thrown by a reader; becomes one entry of the 400. */
export class Fault extends Error {}

/** Turns one raw value into what the operation works with, or throws a {@link Fault}. */
export type Reader<T> = (value: unknown, encoding: Body['encoding']) => T;

/** The fields of an operation in the order of the specification; dots name nested ones. */
export type Shape = Readonly<Record<string, Reader<unknown>>>;

/** What {@link readFields} makes of a shape. */
export type Fields<S extends Shape> = { readonly [K in keyof S]: ReturnType<S[K]> };

/** Finds faults that no field shows alone, such as none of several being there. */
export type Rule<S extends Shape> = (fields: Partial<Fields<S>>) => readonly FieldFault[];

/** Reads every field of a shape and complains about all of them at once, in the shape's order. */
export function readFields<S extends Shape>(
  body: Body,
  shape: S,
  rule: Rule<S> = () => [],
): Fields<S> {
  const faults: FieldFault[] = [];
  const fields: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(shape)) {
    try {
      fields[name] = reader(at(body.values, name.split('.')), body.encoding);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push({ field: name, message: error.message });
    }
  }
  for (const fault of rule(fields as Partial<Fields<S>>)) {
    if (!faults.some(({ field }) => field === fault.field)) faults.push(fault);
  }
  if (faults.length > 0) {
    const order = Object.keys(shape);
    throw badInput(faults.sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field)));
  }
  return fields as Fields<S>;
}

function at(values: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return values;
  if (typeof values !== 'object' || values === null) {
    if (values === undefined || values === null) return undefined;
    throw new Fault('Not an object');
  }
  return Object.hasOwn(values, key)
    ? at((values as Record<string, unknown>)[key], rest)
    : undefined;
}

/** A field that must be there; `null` counts as missing. */
export function required<T>(reader: Reader<T>): Reader<T> {
  return (value, encoding) => {
    if (value === undefined || value === null) throw new Fault('Missing');
    return reader(value, encoding);
  };
}

/** A field that may be absent or `null`; both read as `undefined`. */
export function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, encoding) =>
    value === undefined || value === null ? undefined : reader(value, encoding);
}

/** Text of so many Unicode code points, kept exactly as sent. */
export function text(least: number, most: number, pattern?: RegExp, hint = 'Not valid') {
  return (value: unknown): string => {
    if (typeof value !== 'string') throw new Fault('Not a text');
    if (value.includes('\0') || !value.isWellFormed()) throw new Fault('Not valid Unicode');
    const length = [...value].length;
    if (length < least || length > most) throw new Fault(`Takes ${least} to ${most} characters`);
    if (pattern !== undefined && !pattern.test(value)) throw new Fault(hint);
    return value;
  };
}

/** Something with one `@` and a dot behind it; only a message sent there would prove more. */
export const email = text(3, 254, /^[^\s@]+@[^\s@]+\.[^\s@]+$/u, 'Not an e-mail address');

/** One of a published list. */
export function oneOf(accepts: (code: string) => boolean, hint: string): Reader<string> {
  return (value) => {
    if (typeof value !== 'string' || !accepts(value)) throw new Fault(hint);
    return value;
  };
}

const words = new Map([
  ...['yes', 'y', 'true', '1'].map((word) => [word, true] as const),
  ...['no', 'n', 'false', '0'].map((word) => [word, false] as const),
]);

/** The words that forms and queries use for a Boolean; anything else is `undefined`. */
export function flagFromWord(word: string): boolean | undefined {
  return words.get(word);
}

/** A Boolean: JSON's own, or a word in a form. */
export const flag: Reader<boolean> = (value, encoding) => {
  const read = encoding === 'form' && typeof value === 'string' ? flagFromWord(value) : value;
  if (typeof read !== 'boolean') throw new Fault('Not a Boolean');
  return read;
};

/** Twelve digits, as a card message holds them. */
const MAX_AMOUNT = 999_999_999_999;

/** An amount in minor units, from 1: a JSON integer, or digits in a form. */
export const amount: Reader<number> = (value, encoding) => {
  const read =
    encoding === 'form' && typeof value === 'string' && /^\d{1,12}$/.test(value)
      ? Number(value)
      : value;
  if (typeof read !== 'number' || !Number.isInteger(read)) {
    throw new Fault('Not an integer in minor units');
  }
  if (read < 1 || read > MAX_AMOUNT) throw new Fault(`Takes 1 to ${MAX_AMOUNT}`);
  return read;
};

/** Any object, kept as sent; an empty list stands for an empty object. */
export const object: Reader<object> = (value) => {
  if (Array.isArray(value) && value.length === 0) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('Not an object');
  }
  return value;
};
