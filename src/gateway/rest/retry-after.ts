/** Reads `Retry-After`: seconds, or a date. Undefined if there is none, or if it is not valid. */
export function readRetryAfter(
  header: string | string[] | undefined,
  now: number = Date.now(),
): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  // Anything else that Date.parse accepts, such as "-1", is not a date of HTTP.
  const date = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
