import { randomFillSync } from 'node:crypto';

/** Where a trace comes from, as the W3C's header `traceparent` says. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const ID_BYTES = TRACE_ID_BYTES + SPAN_ID_BYTES;
/** Where the ids are in a header. A byte has two digits. */
const TRACE_ID_AT = 3;
const TRACE_ID_END = TRACE_ID_AT + 2 * TRACE_ID_BYTES;
const SPAN_ID_AT = TRACE_ID_END + 1;
const SPAN_ID_END = SPAN_ID_AT + 2 * SPAN_ID_BYTES;
const HEADER_LENGTH = SPAN_ID_END + 3;

const HEADER = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_LENGTH = 512;

/** Reads the header; undefined if it is none, as the standard demands. */
export function readTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string' || header.length > MAX_LENGTH) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = HEADER.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) {
    return undefined;
  }
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Writes the header of a sampled trace. */
export function toTraceparent(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Puts the id of another trace into a header. */
export function withTraceId(header: string, traceId: string): string {
  return header.slice(0, TRACE_ID_AT) + traceId + header.slice(TRACE_ID_END);
}

/** The id of the trace in a header that is valid. */
export function traceIdOf(header: string): string {
  return header.slice(TRACE_ID_AT, TRACE_ID_END);
}

/** The id of the span in a header that is valid. */
export function spanIdOf(header: string): string {
  return header.slice(SPAN_ID_AT, SPAN_ID_END);
}

const LIST_MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,256}$/;
const MAX_MEMBERS = 32;

/** Returns the header `tracestate` if it may be passed on. */
export function readTracestate(header: unknown): string | undefined {
  if (typeof header !== 'string' || header.length > MAX_LENGTH) return undefined;
  const members = header.split(',').map((member) => member.trim());
  const isValid = members.length <= MAX_MEMBERS && members.every((one) => LIST_MEMBER.test(one));
  return isValid ? members.join(',') : undefined;
}

/** Random bytes for some hundred headers, because the system takes long for each request. */
const random = Buffer.alloc(340 * ID_BYTES);
/** The text of as many headers, of which only the ids change. */
const written = Buffer.from(
  `00-${'0'.repeat(2 * TRACE_ID_BYTES)}-${'0'.repeat(2 * SPAN_ID_BYTES)}-00`.repeat(
    random.length / ID_BYTES,
  ),
);
const DIGITS = Buffer.from('0123456789abcdef');
/** Headers of traces that nobody has begun yet, one after another. */
let headers = '';
let used = 0;

/**
 * The header of a new trace that is not sampled. It is a part of a longer text, which V8 makes and
 * reads faster than a text that is put together.
 */
export function newTraceparent(): string {
  if (used === headers.length) {
    headers = createHeaders();
    used = 0;
  }
  used += HEADER_LENGTH;
  return headers.slice(used - HEADER_LENGTH, used);
}

/** Replaces the ids. A loop over bytes takes a quarter of the time of a regular expression. */
function createHeaders(): string {
  randomFillSync(random);
  for (let from = 0, at = 0; from < random.length; from += ID_BYTES, at += HEADER_LENGTH) {
    writeId(from, TRACE_ID_BYTES, at + TRACE_ID_AT);
    writeId(from + TRACE_ID_BYTES, SPAN_ID_BYTES, at + SPAN_ID_AT);
  }
  return written.toString('latin1');
}

/** Writes random bytes as digits. The first one is odd, because an id must not be all zeros. */
function writeId(from: number, bytes: number, at: number): void {
  random[from] = (random[from] ?? 0) | 1;
  for (let index = 0; index < bytes; index++) {
    const byte = random[from + index] ?? 0;
    written[at + 2 * index] = DIGITS[byte >> 4] ?? 0;
    written[at + 2 * index + 1] = DIGITS[byte & 15] ?? 0;
  }
}

/** The id of a new span. */
export function newSpanId(): string {
  return copy(spanIdOf(newTraceparent()));
}

/** Returns the same text on its own. V8 keeps all of a text as long as a part of it is used. */
export function copy(part: string): string {
  return ` ${part}`.slice(1);
}
