import { flagFromWord } from './fields.ts';
import { badInput, type FieldFault } from './refusal.ts';

/** A page of a list as the caller asked for it. Specification: payments, "Pagination". */
export interface Page {
  readonly limit: number;
  /** Only ids smaller than this one. */
  readonly before?: string;
  /** Only ids larger than this one; alone it turns the order round, oldest first. */
  readonly after?: string;
}

/** What a list may be filtered by; an id filter may be required. */
export type Filters = Readonly<Record<string, 'flag' | 'id' | 'required id'>>;

/** A page with the filters that were given. */
export interface ListQuery extends Page {
  readonly flags: Readonly<Record<string, boolean>>;
  readonly ids: Readonly<Record<string, string>>;
}

const MAX_LIMIT = 1000;
const ID = /^[0-9a-f]{24}$/i;

/** Reads a list's query and complains about every parameter at once. */
export function readListQuery(query: URLSearchParams, filters: Filters = {}): ListQuery {
  const faults: FieldFault[] = [];
  const flags: Record<string, boolean> = {};
  const ids: Record<string, string> = {};

  function single(name: string): string | undefined {
    const values = query.getAll(name);
    if (values.length > 1) faults.push({ field: name, message: 'Given twice' });
    return values[0];
  }

  const limit = single('limit');
  if (limit === undefined) faults.push({ field: 'limit', message: 'Missing' });
  else if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT) {
    faults.push({ field: 'limit', message: `Takes 1 to ${MAX_LIMIT}` });
  }
  const cursors: { before?: string; after?: string } = {};
  for (const name of ['before', 'after'] as const) {
    const value = single(name);
    if (value === undefined) continue;
    if (ID.test(value)) cursors[name] = value.toLowerCase();
    else faults.push({ field: name, message: 'Not an id' });
  }
  for (const [filter, kind] of Object.entries(filters)) {
    const name = `filter[${filter}]`;
    const value = single(name);
    if (value === undefined) {
      if (kind === 'required id') faults.push({ field: name, message: 'Missing' });
    } else if (kind === 'flag') {
      const flag = flagFromWord(value);
      if (flag === undefined) faults.push({ field: name, message: 'Not a Boolean' });
      else flags[filter] = flag;
    } else if (ID.test(value)) ids[filter] = value.toLowerCase();
    else faults.push({ field: name, message: 'Not an id' });
  }
  for (const name of new Set(query.keys())) {
    const filter = /^filter\[(.*)\]$/.exec(name)?.[1];
    if (filter !== undefined && !Object.hasOwn(filters, filter)) {
      faults.push({ field: name, message: 'Not a filter of this list' });
    }
  }
  if (faults.length > 0) throw badInput(faults);
  return { limit: Number(limit), ...cursors, flags, ids };
}
