import type { Body } from './body.ts';
import { type FieldError, invalidFields } from './http-error.ts';
import { isJsonObject } from './json-object.ts';

/** Thrown by a reader for an invalid value. Its message becomes one entry of the 400. */
export class InvalidValue extends Error {}

/** Converts one raw value for the handler. Throws {@link InvalidValue} if the value is invalid. */
export type Reader<T> = (value: unknown, encoding: Body['encoding']) => T;

/** The fields of a body in the order of the specification. A dot separates nested names. */
export type Shape = Readonly<Record<string, Reader<unknown>>>;

/** The values that {@link readFields} returns for a shape. */
export type Fields<S extends Shape> = { readonly [K in keyof S]: ReturnType<S[K]> };

/** Checks several fields together. Invalid fields are missing from `fields`. */
export type Rule<S extends Shape> = (fields: Partial<Fields<S>>) => readonly FieldError[];

/** Reads every field of a shape. Throws one 400 with all errors, in the order of the shape. */
export function readFields<S extends Shape>(
  body: Body,
  shape: S,
  rule: Rule<S> = () => [],
): Fields<S> {
  const errors: FieldError[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(shape)) {
    try {
      values[name] = reader(valueAt(body.values, name.split('.')), body.encoding);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      errors.push({ field: name, message: error.message });
    }
  }
  // The compiler does not know that each value comes from the reader of the same name. An
  // invalid field is missing, but then only `rule`, which expects that, sees the object.
  const fields = values as Fields<S>;
  for (const error of rule(fields)) {
    if (!errors.some(({ field }) => field === error.field)) errors.push(error);
  }
  if (errors.length > 0) {
    const order = Object.keys(shape);
    throw invalidFields(errors.sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field)));
  }
  return fields;
}

function valueAt(value: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return value;
  if (isMissing(value) || Array.isArray(value)) return undefined;
  if (!isJsonObject(value)) throw new InvalidValue('Must be an object');
  return Object.hasOwn(value, key) ? valueAt(value[key], rest) : undefined;
}

/** A value that counts as missing. */
type Missing = undefined | null | '';

/** Whether a field has no value: it is absent, `null` or empty, in JSON as in a form. */
export function isMissing(value: unknown): value is Missing {
  return value === undefined || value === null || value === '';
}

/** Makes a field required. `null` and empty text count as missing. */
export function required<T>(reader: Reader<T>): Reader<T> {
  return (value, encoding) => {
    if (isMissing(value)) throw new InvalidValue('Missing');
    return reader(value, encoding);
  };
}

/** Makes a field optional. Absent, `null` and empty all give `undefined`. */
export function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, encoding) => (isMissing(value) ? undefined : reader(value, encoding));
}

/** Makes a text required that may be empty. */
export function requiredOrEmpty(reader: Reader<string>): Reader<string> {
  return (value, encoding) => (value === '' ? '' : required(reader)(value, encoding));
}

/** Makes a text optional that may be empty: absent and `null` give `undefined`, empty does not. */
export function optionalOrEmpty(reader: Reader<string>): Reader<string | undefined> {
  return (value, encoding) => (value === '' ? '' : optional(reader)(value, encoding));
}

/**
 * Reads text and keeps it exactly as sent.
 *
 * @param least minimum length in Unicode code points
 * @param most maximum length in Unicode code points
 * @param hint message for text that does not match `pattern`
 */
export function text(least: number, most: number, pattern?: RegExp, hint = 'Is not valid') {
  return (value: unknown): string => {
    if (typeof value !== 'string') throw new InvalidValue('Must be a string');
    if (value.includes('\0') || !value.isWellFormed()) {
      throw new InvalidValue('Must be valid Unicode without U+0000');
    }
    const length = [...value].length;
    if (length < least || length > most) {
      throw new InvalidValue(`Must have ${least} to ${most} characters`);
    }
    if (pattern !== undefined && !pattern.test(value)) throw new InvalidValue(hint);
    return value;
  };
}

/** Reads an e-mail address: one `@` with a dot after it. A stricter check would prove no more. */
export const email = text(3, 254, /^[^\s@]+@[^\s@]+\.[^\s@]+$/u, 'Must be an e-mail address');

/** Reads a code of a published list; `hint` is the message for any other value. */
export function oneOf(accepts: (code: string) => boolean, hint: string): Reader<string> {
  return (value) => {
    if (typeof value !== 'string' || !accepts(value)) throw new InvalidValue(hint);
    return value;
  };
}

const flagWords = new Map([
  ...['yes', 'y', 'true', '1'].map((word) => [word, true] as const),
  ...['no', 'n', 'false', '0'].map((word) => [word, false] as const),
]);

/** Parses a Boolean of a form or a query. Returns `undefined` if it is not one of the words. */
export function flagFromWord(word: string): boolean | undefined {
  return flagWords.get(word);
}

/** Reads a Boolean: `true` or `false` in JSON, one of the words in a form. */
export const flag: Reader<boolean> = (value, encoding) => {
  const read = encoding === 'form' && typeof value === 'string' ? flagFromWord(value) : value;
  if (typeof read !== 'boolean') throw new InvalidValue('Must be a Boolean');
  return read;
};

/** Card messages hold amounts of up to twelve digits. */
const MAX_AMOUNT = 999_999_999_999;

/** Reads an amount of 1 or more minor units: an integer in JSON, digits in a form. */
export const amount: Reader<number> = (value, encoding) => {
  const read =
    encoding === 'form' && typeof value === 'string' && /^\d{1,12}$/.test(value)
      ? Number(value)
      : value;
  if (typeof read !== 'number' || !Number.isInteger(read)) {
    throw new InvalidValue('Must be an integer in minor units');
  }
  if (read < 1 || read > MAX_AMOUNT) throw new InvalidValue(`Must be from 1 to ${MAX_AMOUNT}`);
  return read;
};

/** Reads any object and keeps it as sent. An empty list counts as an empty object. */
export const object: Reader<object> = (value) => {
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isJsonObject(value)) throw new InvalidValue('Must be an object');
  return value;
};
