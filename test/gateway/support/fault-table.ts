import { expect } from 'vitest';
import type { StubAnswer } from '../../support/stub-service.ts';
import {
  compressed,
  continued,
  dripping,
  garbled,
  interim,
  late,
  redirect,
  resetBeforeHeaders,
  resetBeforeLastByte,
  resetBeforeLastChunk,
  resetInBody,
  SOUND_BODY,
  silent,
  status,
  typed,
  untilDate,
} from './faults.ts';
import { type Limits, SECRET } from './faulty-services.ts';
import type { WriteVerdict } from './writes.ts';

/** What clients see of a fault. */
interface Verdicts {
  /** The code of a read's error; FOUND or NULL if there is none. */
  readonly read: string;
  readonly write: WriteVerdict;
  /** Whether the read is repeated. */
  readonly repeated?: boolean;
  /** After how many milliseconds a client that reads may try again, as far as it learns. */
  readonly retryAfterMs?: unknown;
  /** What ends a read, and a write, if the service never ends it. */
  readonly limits?: { readonly read: Limits; readonly write: Limits };
}

/** One fault of a service. */
export interface Fault extends Verdicts {
  /** Completes "a response …". */
  readonly name: string;
  readonly fault: StubAnswer;
}

const TIMEOUT = 'UPSTREAM_TIMEOUT';
const UNAVAILABLE = 'UPSTREAM_UNAVAILABLE';
const BAD = 'UPSTREAM_BAD_RESPONSE';
const UNKNOWN = 'UNKNOWN';

function all(verdicts: Verdicts, faults: readonly [name: string, fault: StubAnswer][]): Fault[] {
  return faults.map(([name, fault]) => ({ name, fault, ...verdicts }));
}

/** The service has rejected the request. */
const rejected = (read: string, money: string, other = money): Verdicts => ({
  read,
  write: { money, other },
});

// A read that is too slow is repeated, so that this limit ends only those that never end.
const getMs = 300;

const timeouts: readonly Fault[] = [
  ...all(
    {
      read: TIMEOUT,
      repeated: true,
      write: 'APPLIED',
      limits: { read: { getMs }, write: {} },
    },
    [['that arrives after the time limit of reads, which writes do not have', late(getMs + 100)]],
  ),
  ...all(
    {
      ...{ read: TIMEOUT, repeated: true, write: UNKNOWN },
      limits: { read: { getMs }, write: { writeMs: 2_000 } },
    },
    [
      ['that never arrives', silent],
      ['that arrives one byte at a time, without end', dripping],
    ],
  ),
];

const unavailable: readonly Fault[] = [
  ...all({ read: UNAVAILABLE, repeated: true, write: UNKNOWN }, [
    ['that is a reset of the connection', resetBeforeHeaders],
    ['that ends in its body', resetInBody],
    ['that ends before its last byte', resetBeforeLastByte],
    ['that ends before its last chunk', resetBeforeLastChunk],
    ['that is not HTTP', garbled],
    // undici accepts every other interim response.
    ['with a status of 100 that was not asked for', continued],
    ['with status 502', status(502)],
    ['with status 503', status(503)],
    ['with status 504', status(504)],
    ['with status 503 and `Retry-After: soon`', status(503, { 'retry-after': 'soon' })],
    ['with status 503 and `Retry-After: -1`', status(503, { 'retry-after': '-1' })],
  ]),
  ...all({ read: UNAVAILABLE, write: UNKNOWN }, [['with status 500', status(500)]]),
];

const wait = (seconds: string) => ({ 'retry-after': seconds });
/** The service asks for more time than a read has. A date is exact to the second. */
const later = { read: UNAVAILABLE, retryAfterMs: expect.closeTo(120_000, -5) };
/** The service has not processed the request. */
const NOT_SENT = { money: 'NOT_SENT', other: UNAVAILABLE };

const overloaded: readonly Fault[] = [
  ...all({ ...later, write: UNKNOWN }, [
    ['with status 503 and `Retry-After: 120`', status(503, wait('120'))],
    ['with status 503 and a date in `Retry-After`', untilDate(503, 120)],
  ]),
  ...all({ ...later, write: NOT_SENT }, [
    ['with status 429 and `Retry-After: 120`', status(429, wait('120'))],
    ['with status 429 and a date in `Retry-After`', untilDate(429, 120)],
  ]),
  ...all({ read: UNAVAILABLE, retryAfterMs: 0, repeated: true, write: UNKNOWN }, [
    ['with status 503 and `Retry-After: 0`', status(503, wait('0'))],
  ]),
  ...all({ read: UNAVAILABLE, retryAfterMs: 0, repeated: true, write: NOT_SENT }, [
    ['with status 429 and `Retry-After: 0`', status(429, wait('0'))],
    ['with status 429 and a date in the past', untilDate(429, -120)],
  ]),
  ...all({ read: UNAVAILABLE, write: NOT_SENT }, [
    ['with status 429', status(429)],
    ['with status 429 and `Retry-After: soon`', status(429, wait('soon'))],
    ['with status 429 and `Retry-After: -1`', status(429, wait('-1'))],
  ]),
];

/** @param elsewhere the address of another host */
const unusable = (elsewhere: () => string): readonly Fault[] => [
  ...all({ read: BAD, write: UNKNOWN }, [
    ['that is cut short', { text: `{"id":"r1","${SECRET}` }],
    ['that is malformed JSON', { text: `{"id":"r1",${SECRET}}` }],
    ['with NaN', { text: `{"id":"r1","${SECRET}":NaN}` }],
    ['that is HTML', typed('text/html', `<html>${SECRET}`)],
    ['that is too large', { text: JSON.stringify({ id: 'r1', custom: SECRET.repeat(999) }) }],
    ['that is compressed and cut short', compressed(SOUND_BODY, -4)],
    ['that is compressed and too large', compressed(SOUND_BODY + ' '.repeat(1e6))],
    ['that is a part of a response', { status: 206, text: SOUND_BODY }],
    ['with status 301 to another host', redirect(301, elsewhere)],
    ['with status 302 to another host', redirect(302, elsewhere)],
    ['with status 307 to another host', redirect(307, elsewhere)],
    ['with status 408', status(408)],
  ]),
  ...all({ read: BAD, write: 'APPLIED_UNSEEN' }, [
    ['that is empty', { text: '' }],
    ['with status 204', { status: 204 }],
    ['that is a list instead of a record', { json: [SECRET] }],
    ['without an id', { json: { name: SECRET } }],
  ]),
];

const rejections: readonly Fault[] = [
  ...all(rejected(BAD, 'UPSTREAM_REJECTED'), [
    ['with status 400', status(400)],
    ['with status 400 and no body', { status: 400, text: '' }],
    ['with status 422 and text', { status: 422, text: SECRET }],
  ]),
  ...all(rejected(BAD, 'CONFLICT'), [['with status 409', status(409)]]),
  ...all(rejected('UNAUTHENTICATED', 'UNAUTHENTICATED'), [['with status 401', status(401)]]),
  ...all(rejected('FORBIDDEN', 'FORBIDDEN'), [['with status 403', status(403)]]),
  ...all(rejected('NULL', 'UPSTREAM_REJECTED', 'NOT_FOUND'), [
    ['with status 404', status(404)],
    ['with status 410', status(410)],
  ]),
];

const harmless = all({ read: 'FOUND', write: 'APPLIED' }, [
  ['that is JSON of another content type', typed('text/plain', SOUND_BODY)],
  ['that is compressed', compressed(SOUND_BODY)],
  ['with a byte order mark', { text: `\ufeff${SOUND_BODY}` }],
  ['after others with a status of 102 and 103', interim],
]);

/**
 * Every fault in a response of a service.
 *
 * @param elsewhere the address of another host
 */
export const faultTable = (elsewhere: () => string): readonly Fault[] => [
  ...timeouts,
  ...unavailable,
  ...overloaded,
  ...unusable(elsewhere),
  ...rejections,
  ...harmless,
];
