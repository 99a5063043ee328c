/**
 * Prints an unexpected error: its stack, and its code if it has one. An error of a database also has
 * the statement and its values, among them keys and addresses, which no log may contain.
 */
export function printBug(error: unknown): void {
  if (error instanceof Error) {
    const { code } = error as NodeJS.ErrnoException; // Node and both drivers set it
    console.error(`${error.stack}${typeof code === 'string' ? ` (${code})` : ''}`);
  } else {
    console.error('Something other than an error was thrown.');
  }
}
