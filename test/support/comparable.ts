interface Failed {
  readonly path?: readonly (string | number)[] | undefined;
}

/** Where an error makes the response null: the longest part of its path that the response has. */
function nullOf(data: unknown, path: readonly (string | number)[]): string {
  let value = data;
  for (const [at, key] of path.entries()) {
    if (value === null) return JSON.stringify(path.slice(0, at));
    // What is not null on the path of an error is an object or a list.
    value = (value as Record<string | number, unknown>)[key];
  }
  return JSON.stringify(path);
}

/**
 * The errors of a response, in any order. graphql-js stops at the first error that makes an object
 * null: which one that is, and which others in the object are reported, depends on which promise
 * ends first. So of these, only the place of the null counts.
 */
export function comparableErrors(data: unknown, errors: readonly Failed[] = []): string[] {
  const all = errors.map((error) => {
    const path = error.path ?? [];
    const isNull = data === undefined ? JSON.stringify(path) : nullOf(data, path);
    return isNull === JSON.stringify(path) ? JSON.stringify(error) : isNull;
  });
  return [...new Set(all)].sort();
}
