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
