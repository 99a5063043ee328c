import { z } from 'zod';
import { type Body, isJsonObject } from './body.ts';
import { type FieldError, invalidFields } from './http-error.ts';

/**
 * The fields of a body or the parameters of a query, in the order of the specification. A dot
 * separates nested names, because errors name a field so even if the object around it is missing.
 */
export type Shape = Readonly<Record<string, z.ZodType>>;

/** The values of a shape. */
export type Fields<S extends Shape> = { readonly [K in keyof S]: z.output<S[K]> };

/** Checks several fields together. Invalid fields are missing from `fields`. */
export type Check<S extends Shape> = (fields: Partial<Fields<S>>) => readonly FieldError[];

/** Thrown for a value that its schema need not see. */
class InvalidValue extends Error {}

/** Reads the fields of a body. Throws one 400 with all errors, in the order of the shape. */
export function readBodyFields<S extends Shape>(
  { values, encoding }: Body,
  shape: S,
  check?: Check<S>,
): Fields<S> {
  const find = (name: string, field: z.ZodType) =>
    decode(field, valueAt(values, name.split('.')), encoding);
  return readFields(shape, find, check);
}

/** Reads the parameters of a query. Throws one 400 with all errors, unknown filters last. */
export function readQueryFields<S extends Shape>(query: URLSearchParams, shape: S): Fields<S> {
  const find = (name: string) => {
    const [value, ...others] = query.getAll(name);
    if (others.length > 0) throw new InvalidValue('Must not be repeated');
    return value;
  };
  const isUnknown = (name: string) => /^filter\[.*\]$/.test(name) && !Object.hasOwn(shape, name);
  return readFields(shape, find, () =>
    [...new Set(query.keys())]
      .filter(isUnknown)
      .map((field) => ({ field, message: 'Is not a filter of this list' })),
  );
}

function readFields<S extends Shape>(
  shape: S,
  find: (name: string, field: z.ZodType) => unknown,
  check: Check<S> = () => [],
): Fields<S> {
  const errors: FieldError[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape)) {
    try {
      const { success, data, error } = field.safeParse(find(name, field));
      if (!success) throw new InvalidValue(error.issues[0]?.message);
      values[name] = data;
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      errors.push({ field: name, message: error.message });
    }
  }
  // The compiler does not know that each value comes from the schema of the same name. An
  // invalid field is missing, but then only `check`, which expects that, sees the object.
  const fields = values as Fields<S>;
  for (const error of check(fields)) {
    if (!errors.some(({ field }) => field === error.field)) errors.push(error);
  }
  if (errors.length > 0) {
    const place = ({ field }: FieldError) => [...Object.keys(shape), field].indexOf(field);
    throw invalidFields(errors.sort((one, other) => place(one) - place(other)));
  }
  return fields;
}

function valueAt(value: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return value;
  if (value === undefined || value === null || value === '' || Array.isArray(value)) return;
  if (!isJsonObject(value)) throw new InvalidValue('Must be an object');
  return Object.hasOwn(value, key) ? valueAt(value[key], rest) : undefined;
}

/**
 * Returns a value as its schema expects it. `null` counts as missing, and so does empty text unless
 * the schema accepts it. Every value of a form is text, so an amount is sent as digits and a flag as
 * a word.
 */
function decode(field: z.ZodType, value: unknown, encoding: Body['encoding']): unknown {
  if (value === null || (value === '' && !field.safeParse('').success)) return undefined;
  if (encoding === 'json' || typeof value !== 'string') return value;
  const type = field instanceof z.ZodOptional ? field.unwrap() : field;
  if (type instanceof z.ZodBoolean) return flags.get(value) ?? value;
  return type instanceof z.ZodNumber && /^\d{1,12}$/.test(value) ? Number(value) : value;
}

/** The parameters of a list. Specification: payments, "Pagination". */
export interface Page {
  /** Maximum number of records. */
  readonly limit: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The message for a value that a schema does not accept, or for none. Bounds have their own. */
export function must(message: string): { error: z.core.$ZodErrorMap } {
  return {
    error: ({ code, input }) => {
      if (code === 'too_small' || code === 'too_big') return undefined;
      return input === undefined ? 'Missing' : message;
    },
  };
}

/** Text that every database accepts. */
export const anyText = z
  .string(must('Must be a string'))
  .refine((value) => !value.includes('\0') && value.isWellFormed(), {
    error: 'Must be valid Unicode without U+0000',
    abort: true,
  });

/**
 * Text, which is kept exactly as sent.
 *
 * @param least minimum length in Unicode code points
 * @param most maximum length in Unicode code points
 * @param hint message for text that does not match `pattern`
 */
export function text(least: number, most: number, pattern?: RegExp, hint = 'Is not valid') {
  return anyText
    .refine((value) => [...value].length >= least && [...value].length <= most, {
      error: `Must have ${least} to ${most} characters`,
      abort: true,
    })
    .refine((value) => pattern?.test(value) ?? true, hint)
    .meta({ minLength: least, maxLength: most, ...(pattern && { pattern: pattern.source }) });
}

/** An e-mail address: one `@` with a dot after it. A stricter check would prove no more. */
export const email = text(3, 254, /^[^\s@]+@[^\s@]+\.[^\s@]+$/u, 'Must be an e-mail address');

/** A code of a published list; `hint` is the message for any other value. */
export function oneOf(codes: Iterable<string>, hint: string) {
  return z.enum([...codes], must(hint));
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ...['yes', 'y', 'true', '1'].map((word) => [word, true] as const),
  ...['no', 'n', 'false', '0'].map((word) => [word, false] as const),
]);

/** The words for a Boolean in a form or a query. */
export const flagWords: readonly string[] = [...flags.keys()];

/** A Boolean: `true` or `false` in JSON, one of the words in a form. */
export const flag = z.boolean(must('Must be a Boolean'));

/** A Boolean in a query. */
export const flagWord = oneOf(flagWords, 'Must be a Boolean').transform(
  (word) => flags.get(word) === true,
);

/** Card messages hold amounts of up to twelve digits. */
export const MAX_AMOUNT = 999_999_999_999;

/** An amount of 1 or more minor units: an integer in JSON, digits in a form. */
export const amount = z
  .number(must('Must be an integer in minor units'))
  .refine(Number.isInteger, { error: 'Must be an integer in minor units', abort: true })
  .refine((value) => value >= 1 && value <= MAX_AMOUNT, `Must be from 1 to ${MAX_AMOUNT}`)
  .meta({ type: 'integer', minimum: 1, maximum: MAX_AMOUNT });

/** Any object, which is kept as sent. An empty list is an empty object. */
export const object = z
  .custom<object>(
    (value) => isJsonObject(value) || (Array.isArray(value) && value.length === 0),
    must('Must be an object'),
  )
  .transform((value) => (Array.isArray(value) ? {} : value))
  .meta({ type: 'object' });

const MAX_LIMIT = 1000;
const LIMIT = `Must be an integer from 1 to ${MAX_LIMIT}`;

/** The id of a record in a query. It need not exist. */
const recordId = z
  .string(must('Must be an id of 24 hexadecimal digits'))
  .regex(/^[0-9A-Fa-f]{24}$/, 'Must be an id of 24 hexadecimal digits')
  .transform((id) => id.toLowerCase());

/** The parameters of every list. */
export const page = {
  limit: z
    .string(must(LIMIT))
    .refine((value) => /^\d{1,4}$/.test(value) && +value >= 1 && +value <= MAX_LIMIT, LIMIT)
    .transform(Number)
    .meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT })
    .describe('Maximum number of records.'),
  before: recordId.optional().describe('Returns only records older than the one with this id.'),
  after: recordId
    .optional()
    .describe(
      'Returns only records newer than the one with this id. Without `before`, the oldest of them come first.',
    ),
};

/** A filter of a list by a flag. */
export function flagFilter(name: string) {
  return flagWord.optional().describe(`Returns only records whose \`${name}\` has this value.`);
}

/** A filter of a list by an id. */
export function idFilter(name: string) {
  return recordId.describe(`Returns only records with this ${name}.`);
}
