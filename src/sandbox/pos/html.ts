import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { currencies } from '../../currencies.ts';
import { packageFile } from '../../package-files.ts';
import { MAX_AMOUNT } from '../http/fields.ts';
import type { HttpResponse } from '../http/response.ts';
import type { Language } from './language.ts';

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
