import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { packageFile } from '../../package-files.ts';
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
