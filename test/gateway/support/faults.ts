import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { StubAnswer } from '../../support/stub-service.ts';
import { SECRET } from './faulty-services.ts';

/** A record that is a valid answer to every read and write. */
export const SOUND_BODY = `{"id":"r1","key":"k1","${SECRET}":1}`;

/** An answer with a body of a type. */
export const typed =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): StubAnswer =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type, ...headers }).end(body);

/** The request arrives, and there is no answer. */
export const silent: StubAnswer = () => {};

/** Answers reads never, and writes later than reads must be answered. */
export const late =
  (ms: number): StubAnswer =>
  (request, response) => {
    if (request.method === 'GET') return;
    const timer = setTimeout(() => response.end(SOUND_BODY), ms);
    response.on('close', () => clearTimeout(timer));
  };

/** Sends a byte now and then, and never ends. */
export const dripping: StubAnswer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};

/** Resets the connection instead of an answer. */
export const resetBeforeHeaders: StubAnswer = (request) => void request.socket.resetAndDestroy();

/** Sends a part of an answer and closes the connection. */
const partOf =
  (body: string, headers: Record<string, string | number>): StubAnswer =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.write(body, () => request.socket.destroy());
  };

export const resetInBody = partOf(SOUND_BODY.slice(0, -5), { 'content-length': SOUND_BODY.length });
/** What has arrived is valid JSON. */
export const resetBeforeLastByte = partOf(SOUND_BODY, { 'content-length': SOUND_BODY.length + 1 });
export const resetBeforeLastChunk = partOf(SOUND_BODY, { 'transfer-encoding': 'chunked' });

/** Sends bytes that are not HTTP. */
export const garbled: StubAnswer = (request) => {
  const bytes = Array.from({ length: 512 }, (_, index) => (index * 197 + 151) % 256);
  request.socket.end(Buffer.concat([Buffer.from(bytes), Buffer.from(SECRET)]));
};

/** An answer with a body that is compressed, and ends at a byte of it. */
export const compressed = (body: string, end?: number): StubAnswer =>
  typed('application/json', gzipSync(body).subarray(0, end), { 'content-encoding': 'gzip' });

/** An answer with a status and a body that a client must not see. */
export const status =
  (code: number, headers: Record<string, string> = {}) =>
  (_request: IncomingMessage, response: ServerResponse) =>
    void response
      .writeHead(code, { 'content-type': 'application/json', ...headers })
      .end(`{"secret":"${SECRET}"}`);

/** Names another address to send the request to. */
export const redirect =
  (code: number, target: () => string): StubAnswer =>
  (request, response) =>
    status(code, { location: `${target()}${request.url}` })(request, response);

/** An answer that asks to wait until a time from now. */
export const untilDate =
  (code: number, seconds: number): StubAnswer =>
  (_request, response) => {
    const date = new Date(Date.now() + seconds * 1_000).toUTCString();
    response.writeHead(code, { 'retry-after': date }).end(SECRET);
  };

/** Interim answers before the final one. */
export const interim: StubAnswer = (_request, response) => {
  response.writeProcessing();
  response.writeEarlyHints({ link: '</style.css>; rel=preload' });
  response.end(SOUND_BODY);
};

/** A `100 Continue` that the gateway has not asked for. */
export const continued: StubAnswer = (_request, response) => {
  response.writeContinue();
  response.end(SOUND_BODY);
};
