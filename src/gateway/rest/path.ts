/** A path below a service's base address. Only {@link path} makes one, so its ids are checked. */
export type Path = string & { readonly checked: unique symbol };

/** The form of an id that is safe in a path. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/;

/** An id that must not be put into a path, because it could change which resource is addressed. */
export class InvalidIdError extends Error {
  constructor() {
    super('An id has 1 to 128 letters, digits, `-` or `_`.');
  }
}

/**
 * Builds a path from a template, as in `` path`/merchants/${id}/lines` ``. Percent-encoding
 * would not be enough: an encoded `..` or an empty id still addresses another resource.
 */
export function path(parts: TemplateStringsArray, ...ids: string[]): Path {
  // Stryker disable next-line StringLiteral: a template has one part more than ids.
  let built = parts[0] ?? '';
  let index = 0;
  for (const id of ids) {
    if (!ID_PATTERN.test(id)) throw new InvalidIdError();
    index++;
    // Stryker disable next-line StringLiteral: a template has one part more than ids.
    built += id + (parts[index] ?? '');
  }
  // The one place where a string becomes a Path: all ids in it were checked above.
  return built as Path;
}
