import { createHash } from 'node:crypto';
import type { HttpResponse } from '../http/response.ts';
import { Html, html } from './html.ts';
import type { Language } from './texts.ts';

const style = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { margin: 0; background: Canvas; color: CanvasText; overflow-wrap: anywhere; }
main { max-width: 26rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
.amount { font-size: 2rem; font-weight: 600; margin: .5rem 0 1.5rem; }
label { display: block; font-weight: 600; margin-top: 1rem; }
.hint, .test, .consent { font-size: .9rem; opacity: .8; margin: 0; }
.consent { margin-top: 1.25rem; }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .6rem; margin-top: .2rem; border: 1px solid GrayText; border-radius: .4rem; }
input:focus-visible, button:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
input[aria-invalid] { border: 2px solid #c62828; }
.error { color: #c62828; font-weight: 600; margin: .2rem 0 0; }
[role=alert] { border: 2px solid #c62828; border-radius: .4rem; padding: .6rem 1rem; margin: 1rem 0; }
[role=alert] p, [role=alert] ul { margin: .2rem 0; padding-left: 0; }
[role=alert] li { margin-left: 1.2rem; }
button { width: 100%; font: inherit; font-weight: 600; padding: .8rem; margin-top: 1.5rem; border: 0; border-radius: .4rem; background: #1a56c4; color: #fff; cursor: pointer; }
@media (prefers-color-scheme: dark) { .error { color: #ff8a80; } input[aria-invalid], [role=alert] { border-color: #ff8a80; } }
`;
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
