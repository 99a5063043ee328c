import { isAscii, isUtf8 } from 'node:buffer';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Reason } from './rest-error.ts';

/** Headers of a response by lowercase name. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The first value of a header. */
export function readHeader(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value[0] : value;
}

/** Content that is not JSON in UTF-8, as RFC 8259 requires. */
export class Unreadable {
  readonly reason: Reason;

  constructor(reason: Reason) {
    this.reason = reason;
  }
}

const NOT_JSON = new Unreadable({ kind: 'not-json', cause: 'the response is not JSON' });
const NOT_UTF8 = new Unreadable({ kind: 'not-utf-8', cause: 'the response is not UTF-8' });
const CHARSET = new Unreadable({
  kind: 'charset',
  cause: 'the charset of the response is not UTF-8',
});
/** What a proxy or a firewall sends instead of the service. */
export const PAGE = new Unreadable({
  kind: 'page',
  cause: 'the response is a page instead of JSON',
});
const COMPRESSED = new Unreadable({
  kind: 'wrong-coding',
  cause: 'the response is compressed more often than its Content-Encoding says',
});
const HAS_CONTENT = /\S/;
const BYTE_ORDER_MARK = 0xfeff;
/** The first bytes of gzip. They are not UTF-8. */
const GZIP = 0x1f8b;

/**
 * Reads JSON. `undefined` if there is no content. Nothing is replaced or guessed: if UTF-8 and the
 * charset that the response names would give different text, the content is not read.
 */
export function readContent(bytes: Buffer, headers: Headers): unknown {
  const isPlain = isAscii(bytes);
  // Every charset used for JSON has the same ASCII bytes, or has zeros between them.
  if (!isPlain && bytes.readUInt16BE() === GZIP) return COMPRESSED;
  if (!isPlain && hasOtherCharset(headers)) return CHARSET;
  if (!isPlain && !isUtf8(bytes)) return NOT_UTF8;
  const text = bytes.toString(isPlain ? 'latin1' : 'utf8');
  const hasMark = text.charCodeAt(0) === BYTE_ORDER_MARK;
  try {
    return JSON.parse(hasMark ? text.slice(1) : text);
  } catch {
    if (!HAS_CONTENT.test(text)) return undefined;
    if (text.trimStart().startsWith('<')) return PAGE;
    return hasOtherCharset(headers) ? CHARSET : NOT_JSON;
  }
}

/** Any type may contain JSON. `application/json` has no charset, but many servers send one. */
function hasOtherCharset(headers: Headers): boolean {
  const type = readHeader(headers, 'content-type') ?? '';
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type) ?? [];
  return !/^(utf-?8|us-ascii)$/i.test(charset);
}

/** HTTP allows Zstandard windows of at most 8 MiB (RFC 9659). */
const MAX_ZSTD_WINDOW_BITS = 23;

/** A decoding stream. */
export type Decoder = Transform & {
  /** How many of the bytes written to it were read. */
  readonly bytesWritten: number;
};

/** Creates the decoder of each content coding, given the first byte of the body. */
const decoders: Readonly<Record<string, (first: number | undefined) => Decoder>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  // Some servers omit the zlib header that HTTP requires.
  deflate: (first = 0) => ((first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  zstd: () =>
    zlib.createZstdDecompress({
      params: { [zlib.constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_BITS },
    }),
};

/**
 * The codings that the gateway requests. `deflate` is only accepted, because servers disagree on
 * it.
 */
export const ACCEPTED_CODINGS = 'gzip, br, zstd';

/** Creates the decoder of a body, given its first byte. */
export type CreateDecoder = (first: number | undefined) => Decoder;

/**
 * Finds the decoder of a body. Undefined for an unknown coding, or for several: the gateway never
 * requests that.
 *
 * @param codings the value of `Content-Encoding`
 */
export function findDecoder(codings: string): CreateDecoder | 'NONE' | undefined {
  const coding = codings.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'NONE';
  return Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
}

/** Reads `Retry-After`: seconds, or a date. Undefined if there is none, or if it is not valid. */
export function readRetryAfter(
  header: string | string[] | undefined,
  now: number = Date.now(),
): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  // Anything else that Date.parse accepts, such as "-1", is not an HTTP date.
  const date = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
