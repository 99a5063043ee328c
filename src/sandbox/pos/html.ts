import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { currencies } from '../../currencies.ts';
import { packageFile } from '../../package-files.ts';
import { MAX_AMOUNT } from '../http/fields.ts';
import type { HttpResponse } from '../http/response.ts';
import data from './texts.json' with { type: 'json' };

/** Text that is HTML already. {@link html} escapes all other values. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function toText(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(toText).join('');
  return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Creates HTML from a template. It escapes every value that is not {@link Html} itself. */
export function html(parts: TemplateStringsArray, ...values: Part[]): Html {
  return new Html(
    parts
      .map((part, index) => part + (index < values.length ? toText(values[index]) : ''))
      .join(''),
  );
}

const style = readFileSync(packageFile('src/sandbox/pos/payment-page.css'), 'utf8');
const styleHash = createHash('sha256').update(style).digest('base64');

/** The result of a request, as attributes of the `main` element, for programs to read. */
export type PageData = Readonly<Record<`data-${string}`, string | number | undefined>>;

/**
 * Creates an HTML page. Its security policy allows no scripts, no frames and no resources of
 * other origins. Forms may be sent to the page itself and to the origin of `redirect`, because
 * browsers apply the policy to the redirect after a form too.
 */
export function htmlPage(
  status: number,
  { texts, tag }: Language,
  data: PageData,
  content: Html,
  redirect?: URL,
): HttpResponse {
  const attributes = Object.entries(data).map(([name, value]) =>
    value === undefined ? undefined : html` ${name}="${value}"`,
  );
  const document = html`<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${texts.title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main${attributes}>
${content}
</main>
</body>
</html>
`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': tag,
      'referrer-policy': 'no-referrer',
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${styleHash}'`,
        `form-action 'self'${redirect === undefined ? '' : ` ${redirect.origin}`}`,
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    },
    body: document.text,
  };
}

/**
 * Parses an amount in major units exactly: digits, and up to as many decimals as the currency
 * has. Returns `undefined` for any other text, for zero and for more than twelve digits.
 *
 * @param separators the characters that are accepted as decimal separator
 */
export function toMinorUnits(
  text: string,
  currency: string,
  separators: '.' | '.,',
): number | undefined {
  const exponent = currencies.get(currency)?.exponent ?? 2;
  const [, whole, fraction = ''] =
    new RegExp(`^(\\d{1,15})(?:[${separators}](\\d{1,4}))?$`).exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > exponent) return undefined;
  const minorUnits = BigInt(whole + fraction.padEnd(exponent, '0'));
  return minorUnits > 0n && minorUnits <= MAX_AMOUNT ? Number(minorUnits) : undefined;
}

/**
 * Formats an amount for a locale, with all decimals of the currency. A double holds 15 digits and
 * an amount has at most 12, so the result is exact.
 */
export function showAmount(minorUnits: number, currency: string, locale: string): string {
  const exponent = currencies.get(currency)?.exponent ?? 2;
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  }).format(minorUnits / 10 ** exponent);
}

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
