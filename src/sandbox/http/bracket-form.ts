import { type FieldError, invalidField, invalidFields } from './http-error.ts';

const MAX_KEYS = 100;
const MAX_LEVELS = 4;
/** Keys that reach an object's prototype. Objects created here have none, but copies may. */
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const KEY = /^([^[\]]+)((?:\[[^[\]]+\])*)$/;

/** A form as an object without a prototype. Every leaf is text. */
export type FormObject = { [key: string]: string | FormObject };

/**
 * Parses `application/x-www-form-urlencoded` with bracket notation, for example
 * `company[country]=DK`. Throws 400 for a repeated key, for `a[]` and for a key that reaches a
 * prototype.
 *
 * Specification: payments, "Request encoding".
 */
export function parseBracketForm(text: string): FormObject {
  const pairs = [...new URLSearchParams(text)];
  if (pairs.length > MAX_KEYS) {
    throw invalidField('body', `Must not have more than ${MAX_KEYS} keys`);
  }
  const root: FormObject = Object.create(null);
  const errors: FieldError[] = [];
  for (const [key, value] of pairs) {
    const message = insert(root, key, value);
    if (message !== undefined) errors.push({ field: key, message });
  }
  if (errors.length > 0) throw invalidFields(errors);
  return root;
}

/** Inserts one value at its key. Returns a message if the key is invalid. */
function insert(root: FormObject, key: string, value: string): string | undefined {
  const match = KEY.exec(key);
  if (match === null) return 'Is not a valid key';
  const [, first = '', brackets = ''] = match;
  const path = [first, ...brackets.split(/[[\]]+/).filter(Boolean)];
  if (path.length > MAX_LEVELS) return `Must not have more than ${MAX_LEVELS} levels`;
  if (path.some((step) => PROTOTYPE_KEYS.has(step))) return 'Is not a valid key';
  const last = path.at(-1) ?? first;
  let target = root;
  for (const step of path.slice(0, -1)) {
    const inner = target[step] ?? Object.create(null);
    if (typeof inner === 'string') return 'Must not be repeated';
    target[step] = inner;
    target = inner;
  }
  if (target[last] !== undefined) return 'Must not be repeated';
  target[last] = value;
  return undefined;
}
