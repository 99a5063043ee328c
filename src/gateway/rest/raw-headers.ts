/** The headers of a response as they arrive: names and values in turn. */
export type RawHeaders = readonly Buffer[];

/**
 * The first value of a header, or all of them if it is a list. Allocates nothing if there is none,
 * which is so for most headers that are looked for.
 *
 * @param name in lower case
 */
export function readHeader(headers: RawHeaders, name: string, isList = false): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    if (!isNamed(headers[at], name)) continue;
    const value = headers[at + 1]?.toString('latin1');
    if (!isList) return value;
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}

function isNamed(header: Buffer | undefined, name: string): boolean {
  if (header?.length !== name.length) return false;
  for (let at = 0; at < name.length; at++) {
    // To lower case; hyphens stay.
    if (((header[at] ?? 0) | 0x20) !== name.charCodeAt(at)) return false;
  }
  return true;
}
