import type { IncomingMessage } from 'node:http';
import { parseBracketForm } from './bracket-form.ts';
import { badField, refusal } from './refusal.ts';

const MAX_BYTES = 64 * 1024;
const MAX_LEVELS = 20;
const JSON_TYPE = /^application\/(json|[\w.-]+\+json)$/;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A parsed body; a form has only text, so its readers are more lenient. */
export interface Body {
  readonly encoding: 'json' | 'form';
  readonly values: Readonly<Record<string, unknown>>;
}

const nothing: Body = { encoding: 'json', values: {} };

/** Reads the whole body: 413 when too long, 415 for a foreign type, 400 when it cannot be read. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return nothing;
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== FORM_TYPE && !JSON_TYPE.test(type)) {
    throw refusal(415, 'Send application/json or application/x-www-form-urlencoded');
  }
  const text = decodeUtf8(bytes);
  if (type === FORM_TYPE) return { encoding: 'form', values: parseBracketForm(text) };
  return { encoding: 'json', values: parseJsonObject(text) };
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('error', () => {}); // a caller that hangs up is nobody's defect
  for await (const chunk of withoutHangingUp(request)) {
    length += chunk.length;
    if (length > MAX_BYTES) {
      throw refusal(413, `At most ${MAX_BYTES} bytes`, { connection: 'close' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A body that breaks off is the caller's fault, even if nobody is there to be told. */
async function* withoutHangingUp(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch {
    throw badField('body', 'It breaks off');
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badField('body', 'Not UTF-8');
  }
}

function parseJsonObject(text: string): Record<string, unknown> {
  if (levels(text) > MAX_LEVELS) throw badField('body', `At most ${MAX_LEVELS} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badField('body', 'Not JSON');
  }
  if (Array.isArray(value) && value.length === 0) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badField('body', 'Not an object');
  }
  return value as Record<string, unknown>;
}

/**
 * Counts nesting before parsing, so that depth never reaches the parser's stack. A text
 * without its closing quote counts to the end: looking for it again from every quote
 * inside would take seconds.
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
