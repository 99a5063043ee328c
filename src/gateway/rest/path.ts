/** An address below a service's base; only {@link path} makes one, so every id in it was checked. */
export type Path = string & { readonly checked: unique symbol };

/** What an id must look like before it may stand in an address. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/;

/** Thrown instead of building an address from something that could change the address. */
export class InvalidIdError extends Error {
  constructor() {
    super('An id has 1 to 128 letters, digits, `-` or `_`.');
  }
}

/**
 * Builds a path from a template, as in `` path`/merchants/${id}/lines` ``. Encoding
 * would be no defence: an encoded `..` or an empty id still turns one address into another.
 */
export function path(parts: TemplateStringsArray, ...ids: string[]): Path {
  let built = parts[0] ?? '';
  for (const [index, id] of ids.entries()) {
    if (!ID_PATTERN.test(id)) throw new InvalidIdError();
    built += id + (parts[index + 1] ?? '');
  }
  return built as Path;
}
