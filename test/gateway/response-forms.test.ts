import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../src/gateway/telemetry/log.ts';
import { patientGateway } from '../support/patience.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import { gatewayBefore } from './support/before-services.ts';

// Every form that RFC 9110 and RFC 8259 allow for a response with JSON, those that servers and
// proxies make of them, and what the gateway does with each: it reads the text as it was sent, or
// does not read it and logs why.

const NAME = 'Zoë 🛒 𝒜';
const JSON_TEXT = JSON.stringify({ id: 't1', descriptor: NAME });
const PLAIN = '{"id":"t1","descriptor":"Zoe"}';

const { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } = zlib;

interface Row {
  readonly name: string;
  readonly answer: StubAnswer;
  /** The text that a client gets, or the cause that is logged. */
  readonly read?: string;
  readonly cause?: string;
}

function row(
  name: string,
  expected: Pick<Row, 'read' | 'cause'>,
  body: string | Buffer,
  headers: Record<string, string | string[]> = {},
  status = 200,
): Row {
  const all = { 'content-type': 'application/json', ...headers };
  const answer: StubAnswer = (_request, response) => void response.writeHead(status, all).end(body);
  return { name, answer, ...expected };
}

const whole = { read: NAME };
const plain = { read: 'Zoe' };
const cause = (text: string) => ({ cause: text });
const type = (text: string) => ({ 'content-type': text });
const coding = (text: string) => ({ 'content-encoding': text });
const latin1 = Buffer.from('{"id":"t1","descriptor":"Zoë"}', 'latin1');
const utf16 = (text: string, mark = '') => Buffer.from(mark + text, 'utf16le');

const NOT_JSON = cause('the response is not JSON');
const PAGE = cause('the response is a page instead of JSON');
const NOT_UTF8 = cause('the response is not UTF-8');
const CHARSET = cause('the charset of the response is not UTF-8');
const WRONG = cause('the content does not match its Content-Encoding');
const COMPRESSED = cause('the response is compressed more often than its Content-Encoding says');
const LARGE = cause('the response has more than 4096 bytes (UPSTREAM_MAX_BYTES)');
const EMPTY = cause('the response is empty');

const characters: readonly Row[] = [
  row('JSON in UTF-8', whole, JSON_TEXT),
  row('a byte order mark', whole, `\ufeff${JSON_TEXT}`),
  row('white space around it', whole, ` \r\n\t${JSON_TEXT}\n`),
  row('no content type', whole, JSON_TEXT, type('')),
  row('charset=utf-8', whole, JSON_TEXT, type('application/json; charset=utf-8')),
  row('charset="UTF-8"', whole, JSON_TEXT, type('application/json;charset="UTF-8"')),
  row('charset=iso-8859-1 and only ASCII', plain, PLAIN, type('text/json;charset=iso-8859-1')),
  row('Latin-1 that says so', CHARSET, latin1, type('application/json; charset=ISO-8859-1')),
  row('UTF-8 that says Latin-1', CHARSET, JSON_TEXT, type('application/json; charset=latin1')),
  row('Latin-1 that says nothing', NOT_UTF8, latin1),
  row('UTF-16 that says so', CHARSET, utf16(PLAIN), type('application/json; charset=utf-16le')),
  row('UTF-16 with a byte order mark', NOT_UTF8, utf16(PLAIN, '\ufeff')),
  row('UTF-16 that says nothing', NOT_JSON, utf16(PLAIN)),
  row('a character that is cut in two', NOT_UTF8, Buffer.from(JSON_TEXT).subarray(0, 28)),
  row(
    'a surrogate in UTF-8',
    NOT_UTF8,
    Buffer.from('7b226964223a2231222c2261223a22eda080227d', 'hex'),
  ),
  row('an escaped half of a character', { read: 'a\ud83d' }, '{"id":"t1","descriptor":"a\\ud83d"}'),
  row('a key twice', plain, '{"id":"t0","descriptor":"x","id":"t1","descriptor":"Zoe"}'),
];

const types: readonly Row[] = [
  row('JSON that says it is HTML', whole, JSON_TEXT, type('text/html')),
  row('a page', PAGE, '<!doctype html><title>Sign in</title>', type('text/html')),
  row('one line of NDJSON', whole, `${JSON_TEXT}\n`, type('application/x-ndjson')),
  row('several lines of NDJSON', NOT_JSON, `${JSON_TEXT}\n${JSON_TEXT}\n`),
  row(
    'a multipart',
    NOT_JSON,
    `--b\r\n\r\n${JSON_TEXT}\r\n--b--`,
    type('multipart/mixed;boundary=b'),
  ),
  row('a prefix against inclusion in scripts', NOT_JSON, `)]}',\n${JSON_TEXT}`),
  row('an empty body', EMPTY, ''),
  row('only white space', EMPTY, ' \n'),
  row(
    'a number as id that was rounded',
    cause('the response has no record'),
    '{"id":9007199254740993}',
  ),
  row('JSON that is no record', cause('the response has no record'), '"t1"'),
];

const trailing = (body: Buffer) => Buffer.concat([body, Buffer.from('more')]);
const gzip = gzipSync(JSON_TEXT);
const broken = Buffer.from(gzip);
broken[broken.length - 8] = (broken.at(-8) ?? 0) ^ 1;
const parts = Buffer.concat([gzipSync(JSON_TEXT.slice(0, 9)), gzipSync(JSON_TEXT.slice(9))]);
const bomb = Buffer.alloc(10_000_000, ' ');
const window = { params: { [zlib.constants.BROTLI_PARAM_LGWIN]: 24 } };

const codings: readonly Row[] = [
  row('gzip', whole, gzip, coding('gzip')),
  row('gzip under its old name', whole, gzip, coding('X-GZIP')),
  row('gzip in two parts', whole, parts, coding('gzip')),
  row('deflate', whole, deflateSync(JSON_TEXT), coding('deflate')),
  row('deflate without a header', whole, deflateRawSync(JSON_TEXT), coding('deflate')),
  row('br', whole, brotliCompressSync(JSON_TEXT), coding('br')),
  row('no coding, as identity', whole, JSON_TEXT, coding('identity')),
  row('no coding, as an empty header', whole, JSON_TEXT, coding('')),
  row('a coding and no body', EMPTY, '', coding('gzip')),
  row('gzip of nothing', EMPTY, gzipSync(''), coding('gzip')),
  row('gzip of Latin-1', NOT_UTF8, gzipSync(latin1), coding('gzip')),
  row('gzip of a page', PAGE, gzipSync('<html>'), coding('gzip')),
  row('gzip that is cut short', WRONG, gzip.subarray(0, -4), coding('gzip')),
  row('gzip with a wrong checksum', WRONG, broken, coding('gzip')),
  row('gzip with more after its end', WRONG, trailing(gzip), coding('gzip')),
  row('deflate with more after its end', WRONG, trailing(deflateSync(PLAIN)), coding('deflate')),
  row('br with more after its end', WRONG, trailing(brotliCompressSync(PLAIN)), coding('br')),
  row('br that is cut short', WRONG, brotliCompressSync(PLAIN).subarray(0, -3), coding('br')),
  row('JSON that says it is gzip', WRONG, JSON_TEXT, coding('gzip')),
  row('gzip that says nothing', COMPRESSED, gzip),
  row(
    'gzip twice',
    cause('the Content-Encoding "gzip, gzip" is not supported'),
    gzipSync(gzip),
    coding('gzip, gzip'),
  ),
  row('gzip and br', cause('the Content-Encoding "gzip, br" is not supported'), 'x', {
    'content-encoding': ['gzip', 'br'],
  }),
  row(
    'a coding that is not known',
    cause('the Content-Encoding "compress" is not supported'),
    'x',
    coding('compress'),
  ),
  row(
    'a coding that is not a name',
    cause('the Content-Encoding is not supported'),
    'x',
    coding('{"key":1}'),
  ),
  row('a bomb of gzip', LARGE, gzipSync(bomb, { level: 9 }), coding('gzip')),
  row('gzip twice that says once', COMPRESSED, gzipSync(gzipSync(JSON_TEXT)), coding('gzip')),
  row('a bomb of br', LARGE, brotliCompressSync(bomb, window), coding('br')),
  row('gzip of more bytes than may arrive', LARGE, gzipSync(bomb, { level: 0 }), coding('gzip')),
];

const statuses: readonly Row[] = [
  row('status 203, from a proxy', whole, JSON_TEXT, {}, 203),
  row('status 204', EMPTY, '', {}, 204),
  row('status 205', EMPTY, '', {}, 205),
  row(
    'status 206, although no part was asked for',
    cause('the response is partial, as its status says'),
    JSON_TEXT,
    { 'content-range': 'bytes 0-30/31' },
    206,
  ),
  row('status 304, although the request has no condition', cause('status 304'), '', {}, 304),
  row('status 400', cause('status 400'), '{}', {}, 400),
  row(
    'status 502 with a page',
    cause('status 502, and the response is a page instead of JSON'),
    '<html>',
    {},
    502,
  ),
  row(
    'status 403 with a page',
    cause('status 403, and the response is a page instead of JSON'),
    '<html>',
    {},
    403,
  ),
  row(
    'status 404 with a page',
    cause('status 404, and the response is a page instead of JSON'),
    ' <!doctype html>',
    {},
    404,
  ),
  row(
    'status 401 with a page',
    cause('status 401, and the response is a page instead of JSON'),
    '<html>',
    {},
    401,
  ),
  row(
    'status 500 with a coding that is not known',
    cause('status 500, and the Content-Encoding "compress" is not supported'),
    'x',
    coding('compress'),
    500,
  ),
];

const zstd = row('zstd', whole, zlib.zstdCompressSync(JSON_TEXT), coding('zstd'));
const table = [...characters, ...types, ...codings, zstd, ...statuses];

const lines: { status: number; cause: string; route: string }[] = [];
const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line)) });

describe('a response with', () => {
  test.each(table.map((each) => [each.name, each] as const))('%s', async (_name, each) => {
    const { ask, payments, bugs } = await gatewayBefore(
      { 'GET /transactions/t1': each.answer },
      {},
      { limits: { ...patientGateway.limits, maxBytes: 4_096 }, requestLog: log },
    );
    lines.length = 0;
    const { data, errors } = await ask('{ transaction(id: "t1") { statementDescriptor } }');
    const accepted = String(payments.headers.at(-1)?.['accept-encoding']).split(', ');
    expect(accepted).toEqual(['gzip', 'br', 'zstd']);
    if (each.read === undefined) {
      expect(data).toEqual({ transaction: null });
      expect(JSON.stringify(errors)).not.toContain(each.cause);
      expect(lines).toMatchObject([{ cause: each.cause, route: '/transactions/:id' }]);
    } else {
      expect(errors).toBeUndefined();
      expect(data).toEqual({ transaction: { statementDescriptor: each.read } });
      expect(lines).toEqual([]);
    }
    expect(bugs).toEqual([]);
  });
});

test.each([
  ['an integer that was rounded', '{"order":[{"number":12345678901234567890}]}', null],
  ['a text that is a rounded integer', '1', 9007199254740993n],
  ['too many levels', '['.repeat(2_000) + ']'.repeat(2_000), null],
])('a field with %s is an error, and other fields are read', async (_what, custom, descriptor) => {
  const text = `{"id":"t1","custom":${custom},"descriptor":${descriptor}}`;
  const { ask, bugs } = await gatewayBefore({ 'GET /transactions/t1': { text } });
  const field = descriptor === null ? 'custom' : 'statementDescriptor';
  const { data, errors } = await ask(`{ transaction(id: "t1") { rawId ${field} } }`);
  expect(data).toEqual({ transaction: { rawId: 't1', [field]: null } });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE' });
  expect(bugs).toEqual([]);
});
