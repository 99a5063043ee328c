import { expect, test } from 'vitest';
import { languageOf } from '../../src/sandbox/pos/html.ts';

/** The official languages of the European Union, Norwegian and Icelandic, but not English. */
const codes = [
  ...['bg', 'cs', 'da', 'de', 'el', 'es', 'et', 'fi', 'fr', 'ga', 'hr', 'hu', 'is', 'it', 'lt'],
  ...['lv', 'mt', 'nb', 'nl', 'pl', 'pt', 'ro', 'sk', 'sl', 'sv'],
];

/** Every text with its path, such as `errors.4`. */
function textsOf(texts: object, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value]] : textsOf(value, `${path}${key}.`),
  );
}

const english = new Map(textsOf(languageOf('en').texts));
const placeholders = (text = '') => (text.match(/\{\w+\}/g) ?? []).sort();
const digits = (text = '') => text.match(/\d+/g);

test('English has placeholders, and no empty text', () => {
  expect([...english.values()].filter((text) => text.trim() === '')).toEqual([]);
  expect(placeholders(english.get('doneText'))).toEqual(['{amount}', '{merchant}']);
});

test.each(codes)('the texts in %s are complete, and different from English', (code) => {
  const { tag, texts } = languageOf(code);
  expect(tag).toBe(code);
  const translated = textsOf(texts);
  expect(translated.map(([path]) => path)).toEqual([...english.keys()]);
  for (const [path, text] of translated) {
    expect(text, path).toMatch(/\p{L}/u);
    expect(text, path).toBe(text.trim());
    expect(text, path).not.toBe(english.get(path));
    expect(placeholders(text), path).toEqual(placeholders(english.get(path)));
    // Examples of dates, and full stops of sentences, are the same in every language.
    expect(digits(text), path).toEqual(digits(english.get(path)));
    expect(text.endsWith('.'), path).toBe(english.get(path)?.endsWith('.'));
  }
});

test('no two languages have the same text for everything', () => {
  const all = codes.map((code) => JSON.stringify(textsOf(languageOf(code).texts)));
  expect(new Set(all).size).toBe(codes.length);
});
