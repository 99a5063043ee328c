import data from './texts.json' with { type: 'json' };

/** Every text of the payment page in one language. `{…}` marks a placeholder. */
export type Texts = (typeof data)['en'];

/** What the test cards do that the page offers. */
export type CardEffect = keyof Texts['cards'];

/** The codes of the published processing errors that a form can have. */
export type FormErrorCode = 4 | 5 | 14 | 15 | 17 | 18 | 20;

type Code = keyof typeof data;

/** The official languages of the European Union, Norwegian and Icelandic, by ISO 639-1 code. */
const languages: Readonly<Record<Code, Texts>> = data;

/** Other codes of a language: `no` is Norwegian, and `nn` one of its two written forms. */
const otherCodes: Readonly<Record<string, Code>> = { no: 'nb', nn: 'nb' };

/** The texts and the number format for a customer. */
export interface Language {
  readonly texts: Texts;
  /** The value of the `lang` attribute. */
  readonly tag: string;
  /** The locale for numbers. It includes the country. */
  readonly locale: string;
}

/** Returns the language of a locale such as `da`, `de_AT` or `en-GB`. The default is English. */
export function languageOf(locale = ''): Language {
  const [, code = '', country] = /^([a-z]{2})(?:[_-]([A-Z]{2}))?$/.exec(locale) ?? [];
  const tag = Object.hasOwn(otherCodes, code) ? otherCodes[code] : code;
  if (tag === undefined || !isKnown(tag)) return { texts: languages.en, tag: 'en', locale: 'en' };
  return { texts: languages[tag], tag, locale: country === undefined ? tag : `${tag}-${country}` };
}

function isKnown(tag: string): tag is Code {
  return Object.hasOwn(languages, tag);
}

/** Replaces the placeholders of a text. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder);
}
