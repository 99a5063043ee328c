import { badResponse, type ServiceName, ShapeError } from './rest-error.ts';

/**
 * A record as a service sent it: a checked id and unchecked fields. A field is converted,
 * and may fail, only when a query selects it. Nothing is copied.
 */
export type RestRecord<Fields extends string = string> = { readonly id: string } & {
  readonly [Field in Fields]?: unknown;
};

type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a response means that the record does not exist: some services send an empty object. */
export function isAbsent(response: unknown): boolean {
  return response === null || (isObject(response) && Object.keys(response).length === 0);
}

/**
 * The record that another record of the same service refers to. If it does not exist, one of the
 * two responses is wrong, so this is a bad response, not an absent record.
 */
export async function mustExist<R>(service: ServiceName, loading: Promise<R | null>): Promise<R> {
  const record = await loading;
  if (record === null) throw badResponse(service, 'GET');
  return record;
}

/**
 * Finds a single record in a response: the response itself, the value under its own name or
 * under `data`, or the only object in it. `undefined` if there is no record.
 */
export function openRecord<R extends RestRecord>(response: unknown, name: string): R | undefined {
  const record = openNamedRecord<R>(response, name);
  if (record !== undefined || !isObject(response)) return record;
  const objects = Object.values(response).filter(isObject);
  return objects.length === 1 ? toRecord<R>(objects[0]) : undefined;
}

/**
 * Finds a single record in a response that may contain other objects with an id, such as an
 * error: the response itself, or the value under its own name or under `data`.
 */
export function openNamedRecord<R extends RestRecord>(
  response: unknown,
  name: string,
): R | undefined {
  if (!isObject(response)) return undefined;
  for (const candidate of [response, response[name], response.data]) {
    const record = toRecord<R>(candidate);
    if (record !== undefined) return record;
  }
  return undefined;
}

/**
 * Finds a list in a response: the response itself, the value under its plural name, `data` or
 * `items`, or the only array in it. Elements stay unchecked, so an invalid one does not
 * affect the others.
 */
export function openList(response: unknown, name: string): readonly unknown[] | undefined {
  if (Array.isArray(response)) return response;
  if (!isObject(response)) return undefined;
  for (const key of [name, 'data', 'items']) {
    if (Array.isArray(response[key])) return response[key];
  }
  const arrays = Object.values(response).filter(Array.isArray);
  return arrays.length === 1 ? arrays[0] : undefined;
}

/**
 * Finds a list of records in a response that may be something else, such as an error: the response
 * itself, or the value under its plural name, `data` or `items`. Requires that every element is a
 * record and that nothing in the response reports an error.
 */
export function openExactList(response: unknown, name: string): readonly unknown[] | undefined {
  const list = isObject(response) ? openNamedList(response, name) : response;
  const isList = Array.isArray(list) && list.every((element) => toRecord(element) !== undefined);
  return isList ? list : undefined;
}

function openNamedList(response: JsonObject, name: string): unknown {
  if (isReported(response.error) || isReported(response.errors)) return undefined;
  return response[name] ?? response.data ?? response.items;
}

function isReported(error: unknown): boolean {
  const isEmpty = Array.isArray(error) && error.length === 0;
  return error !== undefined && error !== null && !isEmpty;
}

/**
 * A value as a record, or `undefined` if it has no id. A numeric id becomes a string, unless
 * JavaScript may have rounded it.
 */
export function toRecord<R extends RestRecord>(value: unknown): R | undefined {
  if (!isObject(value)) return undefined;
  const { id } = value;
  // Every field of an R is optional and unknown, so an object with an id is an R.
  if (typeof id === 'string' && id !== '') return value as R;
  return isCertain(id) ? ({ ...value, id: String(id) } as R) : undefined;
}

type Has<F extends string> = { readonly [Field in F]?: unknown };

/** A converter for a field that may be absent. Null and the empty string count as absent. */
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
  if (isCertain(value)) return String(value);
  throw new ShapeError(field, false);
}

/** Whether a value is a number that parsing did not round. */
function isCertain(value: unknown): value is number {
  return typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value));
}

/** Deeper values could overflow the JSON serializer. */
const MAX_LEVELS = 500;

/** Whether a JSON value has no number that may have been rounded, and not too many levels. */
export function isCertainJson(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value === 'number') return isCertain(value);
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isCertainJson(each, levels - 1));
}

/** Reads any JSON value; null if absent. Never a different value than the service sent. */
export function readJsonOrNull<F extends string>(record: Has<F>, field: F): unknown {
  const value = record[field] ?? null;
  if (isCertainJson(value)) return value;
  throw new ShapeError(field, false);
}

/** Whether a string has the form of an ISO 4217 currency code. */
export function isCurrencyCode(text: string): boolean {
  return /^[A-Z]{3}$/.test(text);
}

function toCurrency(value: unknown, field: string): string {
  if (typeof value === 'string' && isCurrencyCode(value)) return value;
  throw new ShapeError(field, false);
}

/** Accepts JSON integers and strings of digits, within JavaScript's safe integers. */
function toInteger(value: unknown, field: string): number {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw new ShapeError(field, false);
}

const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/;
/** Epoch numbers below this are seconds, others milliseconds. */
const FIRST_MILLISECONDS = 1e11;

/** Whether a string such as `2026-11-21` is an existing day in the years 1 to 9999. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false;
  const midnight = new Date(`${text}T00:00:00Z`);
  // JavaScript takes 31 February for 3 March.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

/** Whether RFC 3339 can represent a date. */
export function isInstant(date: Date): boolean {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/** Accepts ISO 8601, in UTC if it has no offset, and epoch numbers. Never guesses a time zone. */
function toInstant(value: unknown, field: string): Date {
  if (typeof value === 'number' && Number.isFinite(value)) {
    return valid(new Date(Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value), field);
  }
  const match = typeof value === 'string' ? ISO.exec(value) : null;
  if (match === null) throw new ShapeError(field, false);
  // Every month has 28 days, so most dates need no further check.
  const day = match[0].slice(0, 10);
  if (day.slice(8) > '28' && !isDay(day)) throw new ShapeError(field, false);
  const [text, time, , , offset] = match;
  return valid(new Date(time !== undefined && offset === undefined ? `${text}Z` : text), field);
}

function valid(date: Date, field: string): Date {
  if (isInstant(date)) return date;
  throw new ShapeError(field, false);
}

const flagSpellings: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 1, '1', 'true', 'yes', 'y'].map((spelling) => [spelling, true] as const),
  ...[false, 0, '0', 'false', 'no', 'n', ''].map((spelling) => [spelling, false] as const),
]);

/** Accepts every spelling of a flag that services use. */
function toFlag(value: unknown, field: string): boolean {
  const flag = flagSpellings.get(value);
  if (flag === undefined) throw new ShapeError(field, false);
  return flag;
}

function toList(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new ShapeError(field, false);
}

/** A flag in any spelling. An absent flag is false. */
export function readFlag<F extends string>(record: Has<F>, field: F): boolean {
  return toFlag(record[field] ?? false, field);
}

/** Whether a flag is set. An unreadable flag is not. */
export function isFlagged<F extends string>(record: Has<F>, field: F): boolean {
  return flagSpellings.get(record[field]) ?? false;
}

/** A flag in any spelling. An absent flag is an error, for flags where "no" must be certain. */
export const readPromisedFlag = required(toFlag);
export const readList = required(toList);
export const readString = required(toText);
export const readStringOrNull = optional(toText);
export const readCurrency = required(toCurrency);
export const readInteger = required(toInteger);
export const readIntegerOrNull = optional(toInteger);
export const readInstant = required(toInstant);
export const readInstantOrNull = optional(toInstant);
