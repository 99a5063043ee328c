import { isExact } from '../schema/exact-number.ts';

/** The parsed value, or why the text is rejected. */
export type ReadJson =
  | { readonly kind: 'VALUE'; readonly value: unknown }
  | { readonly kind: 'NOT_JSON' }
  | { readonly kind: 'TOO_DEEP' }
  /** A number that JavaScript cannot represent exactly. */
  | { readonly kind: 'INEXACT'; readonly path: string; readonly number: string }
  /** A string with the character U+0000, which databases cannot store. */
  | { readonly kind: 'NUL'; readonly path: string };

const NUMBER = /-?\d[\d.eE+-]*/y;
const NUL = /\\u0000/;

/**
 * Parses JSON, but rejects numbers that would silently change. Checks the depth before parsing,
 * because the parser is recursive.
 */
export function readExactJson(text: string, maxDepth: number): ReadJson {
  const hasEscapes = text.includes('\\');
  let depth = 0;
  let problem: { readonly kind: 'INEXACT' | 'NUL'; readonly at: number } | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '"') {
      // Most documents have no escapes, so the next quotation mark ends the string.
      const end = hasEscapes ? endOfString(text, at) : endOfPlainString(text, at);
      if (hasEscapes && problem === undefined && hasNul(text.slice(at, end))) {
        problem = { kind: 'NUL', at };
      }
      at = end;
    } else if (char === '[' || char === '{') {
      if (++depth > maxDepth) return { kind: 'TOO_DEEP' };
    } else if (char === ']' || char === '}') {
      depth--;
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      const number = numberAt(text, at);
      if (problem === undefined && !isExact(number)) problem = { kind: 'INEXACT', at };
      at += number.length - 1;
    }
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'NOT_JSON' };
  }
  if (problem === undefined) return { kind: 'VALUE', value };
  const path = pathTo(text, problem.at);
  return problem.kind === 'NUL'
    ? { kind: 'NUL', path }
    : { kind: 'INEXACT', path, number: numberAt(text, problem.at).slice(0, 40) };
}

function numberAt(text: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0] ?? '-';
}

/** The position of the quotation mark that ends the string, or else the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes precedes a quotation mark. */
function isEscaped(text: string, mark: number): boolean {
  let at = mark;
  while (text[at - 1] === '\\') at--;
  return (mark - at) % 2 === 1;
}

/** The same for a text without backslashes. */
function endOfPlainString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  return end === -1 ? text.length : end;
}

/** Whether a string contains the escape of U+0000, and not a backslash before `u0000`. */
function hasNul(string: string): boolean {
  return NUL.test(string) && NUL.test(string.replaceAll('\\\\', ''));
}

/** The path in the value at a position of its text, such as `variables.input.custom[2]`. */
function pathTo(text: string, position: number): string {
  /** The key or the index of the current member of each open bracket. */
  const open: (string | number | undefined)[] = [];
  for (let at = 0; at < position; at++) {
    const char = text[at] ?? '';
    if (char === '{') open.push(undefined);
    else if (char === '[') open.push(0);
    else if (char === '}' || char === ']') open.pop();
    else if (char === ',') next(open);
    else if (char === '"') {
      const end = endOfString(text, at);
      if (open.at(-1) === undefined && open.length > 0) {
        open[open.length - 1] = JSON.parse(text.slice(at, end + 1));
      }
      at = end;
    }
  }
  return open
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part ?? ''}`))
    .join('')
    .replace(/^\./, '');
}

function next(open: (string | number | undefined)[]): void {
  const current = open.at(-1);
  open[open.length - 1] = typeof current === 'number' ? current + 1 : undefined;
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
