import { ShapeError } from './rest-error.ts';

/**
 * A record as a service sent it: an id that was checked, and fields that were not.
 * A field is read, and may fail, only when somebody asks for it; nothing is copied.
 */
export type RestRecord<Fields extends string = string> = { readonly id: string } & {
  readonly [Field in Fields]?: unknown;
};

type Object_ = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields. */
export function isObject(value: unknown): value is Object_ {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Finds a single record in an answer: flat, under its own name, under `data`, or the
 * only object in it. `undefined` when there is none.
 */
export function openRecord<R extends RestRecord>(answer: unknown, name: string): R | undefined {
  if (!isObject(answer)) return undefined;
  for (const candidate of [answer, answer[name], answer.data]) {
    const record = identified<R>(candidate);
    if (record !== undefined) return record;
  }
  const objects = Object.values(answer).filter(isObject);
  return objects.length === 1 ? identified<R>(objects[0]) : undefined;
}

/**
 * Finds a list in an answer: bare, under its plural name, `data` or `items`, or the only
 * array in it. Elements stay raw, so that a bad one spoils nobody else.
 */
export function openList(answer: unknown, name: string): readonly unknown[] | undefined {
  if (Array.isArray(answer)) return answer;
  if (!isObject(answer)) return undefined;
  for (const key of [name, 'data', 'items']) {
    if (Array.isArray(answer[key])) return answer[key];
  }
  const arrays = Object.values(answer).filter(Array.isArray);
  return arrays.length === 1 ? arrays[0] : undefined;
}

/** A value as a record if it has an id; a numeric id becomes its digits. */
export function identified<R extends RestRecord>(value: unknown): R | undefined {
  if (!isObject(value)) return undefined;
  const { id } = value;
  if (typeof id === 'string' && id !== '') return value as R;
  return typeof id === 'number' ? ({ ...value, id: String(id) } as R) : undefined;
}

type Has<F extends string> = { readonly [Field in F]?: unknown };

/** A converter for a field that may be absent: `null` and empty text count as absent. */
function optional<T>(convert: (value: unknown, field: string) => T) {
  return <F extends string>(record: Has<F>, field: F): T | null => {
    const value = record[field];
    return value === undefined || value === null || value === '' ? null : convert(value, field);
  };
}

/** A converter for a field that the specification promises. */
function required<T>(convert: (value: unknown, field: string) => T) {
  return <F extends string>(record: Has<F>, field: F): T => {
    const value = record[field];
    if (value === undefined || value === null) throw new ShapeError(field, value === undefined);
    return convert(value, field);
  };
}

function toText(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new ShapeError(field, false);
}

/** JSON integers and text of digits, as long as JavaScript holds them exactly. */
function toInteger(value: unknown, field: string): number {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(number)) throw new ShapeError(field, false);
  return number as number;
}

const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/;
/** Epoch numbers below are seconds, above milliseconds. */
const FIRST_MILLISECONDS = 1e11;

/** ISO 8601, where no offset means UTC, or an epoch number; anything else is refused, never shifted. */
function toInstant(value: unknown, field: string): Date {
  if (typeof value === 'number' && Number.isFinite(value)) {
    return valid(new Date(Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value), field);
  }
  const match = typeof value === 'string' ? ISO.exec(value) : null;
  if (match === null) throw new ShapeError(field, false);
  const [text, time, , , offset] = match;
  return valid(new Date(time !== undefined && offset === undefined ? `${text}Z` : text), field);
}

function valid(date: Date, field: string): Date {
  if (Number.isNaN(date.getTime())) throw new ShapeError(field, false);
  return date;
}

const words: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 1, '1', 'true', 'yes', 'y'].map((word) => [word, true] as const),
  ...[false, 0, '0', 'false', 'no', 'n', ''].map((word) => [word, false] as const),
]);

/** A flag in any of the spellings that services use; absent is false. */
export function readFlag<F extends string>(record: Has<F>, field: F): boolean {
  const value = record[field] ?? false;
  const flag = words.get(value);
  if (flag === undefined) throw new ShapeError(field, false);
  return flag;
}

/** A flag that the specification promises. An absent one is a {@link ShapeError}, never false. */
export function readPromisedFlag<F extends string>(record: Has<F>, field: F): boolean {
  const value = record[field];
  if (value === undefined || value === null) throw new ShapeError(field, true);
  return readFlag(record, field);
}

export const readText = required(toText);
export const readTextOrNull = optional(toText);
export const readInteger = required(toInteger);
export const readIntegerOrNull = optional(toInteger);
export const readInstant = required(toInstant);
export const readInstantOrNull = optional(toInstant);
