import type { IncomingMessage } from 'node:http';
import { type FieldError, httpError, invalidField, invalidFields } from './http-error.ts';

/** A JSON object whose values are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. Arrays and null are not. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_BYTES = 64 * 1024;
const MAX_LEVELS = 20;
const JSON_TYPE = /^application\/(json|[\w.-]+\+json)$/;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A parsed body. Every value of a form is text, so fields are decoded where necessary. */
export interface Body {
  readonly encoding: 'json' | 'form';
  readonly values: JsonObject;
}

const emptyBody: Body = { encoding: 'json', values: {} };

/**
 * Reads and parses the body of a request. Throws 413 if it is too long, 415 for a content type
 * other than JSON or a form, and 400 if it cannot be parsed.
 */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const bytes = await readBytes(request, MAX_BYTES);
  if (bytes.length === 0) return emptyBody;
  const type = mediaType(request);
  if (type !== FORM_TYPE && !JSON_TYPE.test(type)) {
    throw httpError(415, `The content type must be application/json or ${FORM_TYPE}`);
  }
  const text = decodeUtf8(bytes);
  if (type === FORM_TYPE) return { encoding: 'form', values: parseBracketForm(text) };
  return { encoding: 'json', values: parseJsonObject(text) };
}

/**
 * Reads a body that must be a JSON object, or empty without a content type. A form is 415, because
 * any web page can send one.
 */
export async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const text = await readJsonText(request, MAX_BYTES);
  return text === '' ? {} : parseJsonObject(text);
}

/** Reads a body of any content type as text. */
export async function readText(request: IncomingMessage): Promise<string> {
  // Unlike `decodeUtf8`, this keeps a byte order mark, so that a signature of the body stays valid.
  return (await readBytes(request, MAX_BYTES)).toString();
}

/** Reads a JSON body as text. */
export async function readJsonText(request: IncomingMessage, maxBytes: number): Promise<string> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0 && request.headers['content-type'] === undefined) return '';
  if (!JSON_TYPE.test(mediaType(request))) {
    throw httpError(415, 'The content type must be application/json');
  }
  return decodeUtf8(bytes);
}

function mediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('error', () => {}); // a caller that closes the connection early is not a bug
  for await (const chunk of chunksOf(request)) {
    length += chunk.length;
    if (length > maxBytes) {
      const message = `The body must not be longer than ${maxBytes} bytes`;
      throw httpError(413, message, { connection: 'close' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Throws 400 if the body is incomplete, so that an early close is never reported as a bug. */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch {
    throw invalidField('body', 'Is incomplete');
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidField('body', 'Must be valid UTF-8');
  }
}

function parseJsonObject(text: string): JsonObject {
  if (levels(text) > MAX_LEVELS) {
    throw invalidField('body', `Must not have more than ${MAX_LEVELS} levels`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidField('body', 'Must be valid JSON');
  }
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isJsonObject(value)) throw invalidField('body', 'Must be a JSON object');
  return value;
}

/**
 * Counts the levels of nesting before the text is parsed, so that deep nesting cannot overflow
 * the stack of the parser. A string without a closing quote extends to the end of the text:
 * searching for the closing quote again from every quote inside it would take seconds.
 */
function levels(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}

const MAX_KEYS = 100;
const MAX_KEY_LEVELS = 4;
/** Keys that reach an object's prototype. Objects created here have none, but copies may. */
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const KEY = /^([^[\]]+)((?:\[[^[\]]+\])*)$/;

/** A form as an object without a prototype. Every leaf is text. */
export type FormObject = { [key: string]: string | FormObject };

/**
 * Parses `application/x-www-form-urlencoded` with bracket notation, for example
 * `company[country]=DK`. Throws 400 for a repeated key, for `a[]` and for a key that reaches a
 * prototype.
 *
 * Specification: payments, "Request encoding".
 */
export function parseBracketForm(text: string): FormObject {
  const pairs = [...new URLSearchParams(text)];
  if (pairs.length > MAX_KEYS) {
    throw invalidField('body', `Must not have more than ${MAX_KEYS} keys`);
  }
  const root: FormObject = Object.create(null);
  const errors: FieldError[] = [];
  for (const [key, value] of pairs) {
    const message = insert(root, key, value);
    if (message !== undefined) errors.push({ field: key, message });
  }
  if (errors.length > 0) throw invalidFields(errors);
  return root;
}

/** Inserts one value at its key. Returns a message if the key is invalid. */
function insert(root: FormObject, key: string, value: string): string | undefined {
  const match = KEY.exec(key);
  if (match === null) return 'Is not a valid key';
  const [, first = '', brackets = ''] = match;
  const path = [first, ...brackets.split(/[[\]]+/).filter(Boolean)];
  if (path.length > MAX_KEY_LEVELS) return `Must not have more than ${MAX_KEY_LEVELS} levels`;
  if (path.some((step) => PROTOTYPE_KEYS.has(step))) return 'Is not a valid key';
  const last = path.at(-1) ?? first;
  let target = root;
  for (const step of path.slice(0, -1)) {
    const inner = target[step] ?? Object.create(null);
    if (typeof inner === 'string') return 'Must not be repeated';
    target[step] = inner;
    target = inner;
  }
  if (target[last] !== undefined) return 'Must not be repeated';
  target[last] = value;
  return undefined;
}
