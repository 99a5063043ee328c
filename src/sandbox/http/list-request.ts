import { flagFromWord } from './fields.ts';
import { type FieldError, invalidFields } from './http-error.ts';

/** The part of a list that the caller requests. Specification: payments, "Pagination". */
export interface ListRequest {
  /** Maximum number of records. */
  readonly limit: number;
  /** Returns only records with a smaller id. */
  readonly before?: string;
  /** Returns only records with a larger id. Without `before`, the oldest of them come first. */
  readonly after?: string;
}

/** The filters of a list, by name. */
export type Filters = Readonly<Record<string, 'flag' | 'id' | 'required id'>>;

/** A list request with the filters that the caller sent. */
export interface FilteredListRequest extends ListRequest {
  readonly flags: Readonly<Record<string, boolean>>;
  readonly ids: Readonly<Record<string, string>>;
}

const MAX_LIMIT = 1000;
const ID = /^[0-9a-f]{24}$/i;
const NOT_AN_ID = 'Must be an id of 24 hexadecimal digits';

/** Reads the query of a list. Throws one 400 that names every invalid parameter. */
export function readListRequest(
  query: URLSearchParams,
  filters: Filters = {},
): FilteredListRequest {
  const errors: FieldError[] = [];
  const limit = readLimit(query, errors);
  const before = readId(query, 'before', errors);
  const after = readId(query, 'after', errors);
  const flags: Record<string, boolean> = {};
  const ids: Record<string, string> = {};
  for (const [filter, kind] of Object.entries(filters)) {
    const name = `filter[${filter}]`;
    const value = kind === 'flag' ? readFlag(query, name, errors) : readId(query, name, errors);
    if (typeof value === 'boolean') flags[filter] = value;
    if (typeof value === 'string') ids[filter] = value;
    if (kind === 'required id' && !query.has(name)) {
      errors.push({ field: name, message: 'Missing' });
    }
  }
  errors.push(...unknownFilters(query, filters));
  if (errors.length > 0) throw invalidFields(errors);
  return {
    limit,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    flags,
    ids,
  };
}

function readLimit(query: URLSearchParams, errors: FieldError[]): number {
  const value = readOnce(query, 'limit', errors);
  if (value === undefined) {
    errors.push({ field: 'limit', message: 'Missing' });
  } else if (!/^\d{1,4}$/.test(value) || Number(value) < 1 || Number(value) > MAX_LIMIT) {
    errors.push({ field: 'limit', message: `Must be an integer from 1 to ${MAX_LIMIT}` });
  }
  return Number(value);
}

function readId(query: URLSearchParams, name: string, errors: FieldError[]): string | undefined {
  const value = readOnce(query, name, errors);
  if (value === undefined || ID.test(value)) return value?.toLowerCase();
  errors.push({ field: name, message: NOT_AN_ID });
  return undefined;
}

function readFlag(query: URLSearchParams, name: string, errors: FieldError[]): boolean | undefined {
  const value = readOnce(query, name, errors);
  const flag = value === undefined ? undefined : flagFromWord(value);
  if (value !== undefined && flag === undefined) {
    errors.push({ field: name, message: 'Must be a Boolean' });
  }
  return flag;
}

/** Returns the first value of a parameter. A repeated parameter is an error. */
function readOnce(query: URLSearchParams, name: string, errors: FieldError[]): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) errors.push({ field: name, message: 'Must not be repeated' });
  return values[0];
}

function unknownFilters(query: URLSearchParams, filters: Filters): FieldError[] {
  return [...new Set(query.keys())]
    .filter((name) => {
      const filter = /^filter\[(.*)\]$/.exec(name)?.[1];
      return filter !== undefined && !Object.hasOwn(filters, filter);
    })
    .map((field) => ({ field, message: 'Is not a filter of this list' }));
}
