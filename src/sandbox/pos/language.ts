import { bg } from './languages/bg.ts';
import { cs } from './languages/cs.ts';
import { da } from './languages/da.ts';
import { de } from './languages/de.ts';
import { el } from './languages/el.ts';
import { en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { et } from './languages/et.ts';
import { fi } from './languages/fi.ts';
import { fr } from './languages/fr.ts';
import { ga } from './languages/ga.ts';
import { hr } from './languages/hr.ts';
import { hu } from './languages/hu.ts';
import { is } from './languages/is.ts';
import { it } from './languages/it.ts';
import { lt } from './languages/lt.ts';
import { lv } from './languages/lv.ts';
import { mt } from './languages/mt.ts';
import { nb } from './languages/nb.ts';
import { nl } from './languages/nl.ts';
import { pl } from './languages/pl.ts';
import { pt } from './languages/pt.ts';
import { ro } from './languages/ro.ts';
import { sk } from './languages/sk.ts';
import { sl } from './languages/sl.ts';
import { sv } from './languages/sv.ts';
import type { Texts } from './texts.ts';

/** The official languages of the European Union, Norwegian and Icelandic, by ISO 639-1 code. */
const languages = {
  bg,
  cs,
  da,
  de,
  el,
  en,
  es,
  et,
  fi,
  fr,
  ga,
  hr,
  hu,
  is,
  it,
  lt,
  lv,
  mt,
  nb,
  nl,
  pl,
  pt,
  ro,
  sk,
  sl,
  sv,
} satisfies Record<string, Texts>;

/** Other codes of a language: `no` is Norwegian, and `nn` one of its two written forms. */
const otherCodes: Readonly<Record<string, keyof typeof languages>> = { no: 'nb', nn: 'nb' };

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
  if (tag === undefined || !isKnown(tag)) return { texts: en, tag: 'en', locale: 'en' };
  const texts = languages[tag];
  return { texts, tag, locale: country === undefined ? tag : `${tag}-${country}` };
}

function isKnown(tag: string): tag is keyof typeof languages {
  return Object.hasOwn(languages, tag);
}
