const HERE = import.meta.url;

/**
 * Address of a file of the package, such as `schema/operations/`. HTML, style sheets and browser
 * scripts are not compiled, so they are read from `src/`.
 */
export function packageFile(path: string): URL {
  return new URL(`../${path}`, HERE);
}

/**
 * Address of a file of the program, such as `sandbox/settings`, to import it by its name: the
 * compiler does not follow it. It is the source when a tool runs the source.
 */
export function programFile(name: string): string {
  return new URL(name + HERE.slice(HERE.lastIndexOf('.')), HERE).href;
}
