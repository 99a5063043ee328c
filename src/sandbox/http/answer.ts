/** What a handler answers; the server adds the headers that every answer carries. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Left out for an empty answer. */
  readonly body?: string;
}

const json = { 'content-type': 'application/json; charset=utf-8' };

/** A single record, compact, on one line. */
export function answer(status: number, body: unknown, headers = {}): Answer {
  return { status, headers: { ...json, ...headers }, body: JSON.stringify(body) };
}

/** An answer without body and without content-type. */
export function empty(status: number, headers = {}): Answer {
  return { status, headers };
}

/** The payments service's lists: a bare array, one element per line, commas at line ends. */
export function list(elements: readonly unknown[]): Answer {
  const lines = elements.map((element) => JSON.stringify(element)).join(',\n');
  return { status: 200, headers: json, body: lines === '' ? '[\n]' : `[\n${lines}\n]` };
}
