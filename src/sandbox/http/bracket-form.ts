import { badField, badInput, type FieldFault } from './refusal.ts';

const MAX_KEYS = 100;
const MAX_LEVELS = 4;
/** Keys that name JavaScript's own machinery; nothing here has a prototype, but readers may. */
const HOSTILE = new Set(['__proto__', 'constructor', 'prototype']);
const KEY = /^([^[\]]+)((?:\[[^[\]]+\])*)$/;

/** A form as an object without prototype; every leaf is text. */
export type FormObject = { [key: string]: string | FormObject };

/**
 * Reads `application/x-www-form-urlencoded` with bracket notation, as in
 * `company[country]=DK`. Repeated keys, `a[]` and hostile keys are refused rather than
 * guessed at.
 *
 * Specification: payments, "Request encoding".
 */
export function parseBracketForm(text: string): FormObject {
  const pairs = [...new URLSearchParams(text)];
  if (pairs.length > MAX_KEYS) throw badField('body', `At most ${MAX_KEYS} keys`);
  const root: FormObject = Object.create(null);
  const faults: FieldFault[] = [];
  for (const [key, value] of pairs) {
    const message = place(root, key, value);
    if (message !== undefined) faults.push({ field: key, message });
  }
  if (faults.length > 0) throw badInput(faults);
  return root;
}

/** Puts one pair in its place; answers the complaint when it has none. */
function place(root: FormObject, key: string, value: string): string | undefined {
  const match = KEY.exec(key);
  if (match === null) return 'Not a valid key';
  const steps = [match[1] as string, ...(match[2] as string).split(/[[\]]+/).filter(Boolean)];
  if (steps.length > MAX_LEVELS) return `At most ${MAX_LEVELS} levels`;
  if (steps.some((step) => HOSTILE.has(step))) return 'Not a valid key';
  const last = steps.pop() as string;
  let target = root;
  for (const step of steps) {
    const inner = target[step] ?? Object.create(null);
    if (typeof inner === 'string') return 'Given twice';
    target[step] = inner;
    target = inner;
  }
  if (target[last] !== undefined) return 'Given twice';
  target[last] = value;
  return undefined;
}
