import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** HTTP allows Zstandard windows of at most 8 MiB (RFC 9659). */
const MAX_ZSTD_WINDOW_BITS = 23;

/** A stream that decodes. */
export type Decoder = Transform & {
  /** What it has read of what was written to it. */
  readonly bytesWritten: number;
};

/** How each content coding is decoded, from the first byte of the body. */
const decoders: Readonly<Record<string, (first: number | undefined) => Decoder>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  // Some servers send it without the zlib header that HTTP demands.
  deflate: (first = 0) => ((first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  zstd: () =>
    zlib.createZstdDecompress({
      params: { [zlib.constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_BITS },
    }),
};

/**
 * The codings that the gateway asks for. Not `deflate`, which servers understand differently: it
 * is only accepted.
 */
export const ACCEPTED_CODINGS = 'gzip, br, zstd';

/** Creates what decodes a body, from its first byte. */
export type CreateDecoder = (first: number | undefined) => Decoder;

/**
 * Finds what decodes a body. Undefined if its coding is not known, or if it has several: nothing
 * that the gateway asks for is encoded twice.
 *
 * @param codings the value of `Content-Encoding`
 */
export function findDecoder(codings: string): CreateDecoder | 'NONE' | undefined {
  const coding = codings.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'NONE';
  return Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
}
