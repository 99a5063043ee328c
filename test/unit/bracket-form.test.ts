import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FormObject, parseBracketForm } from '../../src/sandbox/http/body.ts';
import { HttpError } from '../../src/sandbox/http/http-error.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 8 });
const anyKey = fc.oneof(
  { weight: 9, arbitrary: anyText.filter((key) => key !== '' && !/[[\]]/.test(key)) },
  { weight: 1, arbitrary: fc.constantFrom('toString', 'hasOwnProperty', '__proto', 'length') },
);

/** Objects that a form can contain: up to `levels` levels of keys, and text as leaves. */
function formObjects(levels: number): fc.Arbitrary<FormObject> {
  const value = levels === 1 ? anyText : fc.oneof(anyText, formObjects(levels - 1));
  const entries = fc.uniqueArray(fc.tuple(anyKey, value), {
    selector: ([key]) => key,
    minLength: 1,
    maxLength: 3,
  });
  return entries.map((pairs) => {
    const object: FormObject = Object.create(null);
    for (const [key, inner] of pairs) object[key] = inner;
    return object;
  });
}

/** Encodes an object as a caller does: `a[b][c]=value`. */
function write(object: FormObject): string {
  const form = new URLSearchParams();
  function add(prefix: string, value: string | FormObject): void {
    if (typeof value === 'string') form.append(prefix, value);
    else for (const [key, inner] of Object.entries(value)) add(`${prefix}[${key}]`, inner);
  }
  for (const [key, value] of Object.entries(object)) add(key, value);
  return form.toString();
}

test('an object with up to four levels is parsed as it was encoded', () => {
  fc.assert(
    fc.property(formObjects(4), (object) => {
      expect(JSON.stringify(parseBracketForm(write(object)))).toBe(JSON.stringify(object));
    }),
  );
});

test('any text is parsed or rejected with an HttpError, and never changes Object.prototype', () => {
  const pieces = fc.constantFrom('a', '[', ']', '=', '&', '%', '%00', '__proto__', '+', '[]');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
      try {
        parseBracketForm(parts.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(HttpError);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
  );
});
