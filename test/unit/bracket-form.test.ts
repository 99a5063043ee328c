import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FormObject, parseBracketForm } from '../../src/sandbox/http/bracket-form.ts';
import { HttpError } from '../../src/sandbox/http/http-error.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 8 });
const anyKey = fc.oneof(
  { weight: 9, arbitrary: anyText.filter((key) => key !== '' && !/[[\]]/.test(key)) },
  { weight: 1, arbitrary: fc.constantFrom('toString', 'hasOwnProperty', '__proto', 'length') },
);

/** Objects that a form can carry: four levels of keys, text at the ends, nothing empty. */
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

/** Writes an object as a caller would: `a[b][c]=value`. */
function write(object: FormObject): string {
  const form = new URLSearchParams();
  function add(prefix: string, value: string | FormObject): void {
    if (typeof value === 'string') form.append(prefix, value);
    else for (const [key, inner] of Object.entries(value)) add(`${prefix}[${key}]`, inner);
  }
  for (const [key, value] of Object.entries(object)) add(key, value);
  return form.toString();
}

test('any object of four levels comes back as it was written', () => {
  fc.assert(
    fc.property(formObjects(4), (object) => {
      expect(JSON.stringify(parseBracketForm(write(object)))).toBe(JSON.stringify(object));
    }),
  );
});

test('no text makes it fail otherwise than with a refusal, or touch what all objects share', () => {
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
