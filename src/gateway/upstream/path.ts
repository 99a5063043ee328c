/** A path below a service's base URL. Only {@link path} creates one, so its ids are checked. */
export type Path = string & { readonly checked: unique symbol };

/** The form of an id that is safe in a path. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/;

/** An id that must not be put in a path, because it could change which resource is addressed. */
export class InvalidIdError extends Error {
  constructor() {
    super('An id has 1 to 128 letters, digits, `-` or `_`.');
  }
}

/** The placeholder for an id in a route. */
export const ID = ':id';

/** The route segments of all paths built so far, by template. */
const routes = new Map<TemplateStringsArray, readonly string[]>();

/**
 * Builds a path from a template, as in `` path`/merchants/${id}/lines` ``. Percent-encoding
 * would not be enough: an encoded `..` or an empty id still addresses another resource.
 */
export function path(parts: TemplateStringsArray, ...ids: string[]): Path {
  // Stryker disable next-line ConditionalExpression: to set the same route again only takes time.
  if (!routes.has(parts)) routes.set(parts, parts.join(ID).split('/'));
  // Stryker disable next-line StringLiteral: a template has one part more than ids.
  let built = parts[0] ?? '';
  let index = 0;
  for (const id of ids) {
    if (!ID_PATTERN.test(id)) throw new InvalidIdError();
    index++;
    // Stryker disable next-line StringLiteral: a template has one part more than ids.
    built += id + (parts[index] ?? '');
  }
  // The only place where a string becomes a Path: all ids in it were checked above.
  return built as Path;
}

/**
 * The route of a path: `/merchants/:id/lines` for `/merchants/m1/lines?limit=5`. It contains only
 * literals from the code, so it can be shown. If several templates have the same form, it is the
 * route with the fewest ids. Undefined if no template has the form of the path.
 */
export function routeOf(path: string): string | undefined {
  const segments = path.replace(/\?.*/s, '').split('/');
  const [route] = [...routes.values()]
    .filter((one) => hasForm(segments, one))
    .toSorted((one, other) => countIds(one) - countIds(other));
  return route?.join('/');
}

function hasForm(segments: readonly string[], route: readonly string[]): boolean {
  return (
    segments.length === route.length &&
    route.every((part, at) => part === segments[at] || part === ID)
  );
}

function countIds(route: readonly string[]): number {
  return route.filter((part) => part === ID).length;
}
