import type { DocumentNode } from 'graphql';

/** The most that parsing made of a token when it was measured. The least was 250 bytes. */
const BYTES_PER_TOKEN = 480;
const BYTES_PER_CHARACTER = 2;

/** About how many bytes a parsed document takes at most, with its text. */
export function sizeOf({ loc, tokenCount = 0 }: DocumentNode): number {
  return BYTES_PER_CHARACTER * (loc?.source.body.length ?? 0) + BYTES_PER_TOKEN * tokenCount;
}
