/**
 * The built-in upstream, a process of its own: serves the records, counts the calls, takes
 * captures, and answers as late as `LATENCY_MS` says.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { announce } from './announce.ts';
import * as records from './records.ts';

const latencyMs = Number(process.env.LATENCY_MS ?? 0);
const trails = new Map<string, records.TrailEntry[]>();
/** Answers to captures, by idempotency key. */
const captured = new Map<string, object>();
const senders = new Map<string, records.Sender>(
  (['a', 'b'] as const).flatMap((sender) =>
    records.authorizations(sender).map((header) => [header, sender] as const),
  ),
);
let calls = 0;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const missing: Answer = { status: 404, body: { error: 'Not found' } };

/** Answers a read, from the parts of its path. */
function read(url: URL, sender: records.Sender): Answer {
  const [, collection, id = '', list] = url.pathname.split('/');
  const limit = Number(url.searchParams.get('limit') ?? 0);
  if (collection === 'me') return ok(records.identity(sender));
  if (collection === 'transactions') return ok(records.transaction(id, trails.get(id)));
  if (collection !== 'merchants') return missing;
  if (list === 'transactions') return ok(records.transactionsOf(id, limit));
  if (list === 'lines') return ok(records.linesOf(id, limit));
  return ok(records.merchant(id, sender));
}

/** Answers a capture. One with a key that was seen before is not made again. */
async function write(request: IncomingMessage, url: URL): Promise<Answer> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const [, collection, id = '', list] = url.pathname.split('/');
  if (collection !== 'transactions' || list !== 'captures') return missing;
  const key = request.headers['idempotency-key'];
  const known = typeof key === 'string' ? captured.get(key) : undefined;
  if (known !== undefined) return { status: 201, body: known };
  const { amount } = JSON.parse(text);
  const trail = trails.get(id) ?? [];
  trails.set(id, [...trail, records.capture(id, amount, trail.length)]);
  const body = records.transaction(id, trails.get(id));
  if (typeof key === 'string') captured.set(key, body);
  return { status: 201, body };
}

function respond(response: ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

async function handle(request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? '/', 'http://upstream');
  if (url.pathname === '/bench/calls') return ok(calls);
  calls += 1;
  const sender = senders.get(request.headers.authorization ?? '');
  if (sender === undefined) return { status: 401, body: { error: 'No such key' } };
  return request.method === 'GET' ? read(url, sender) : write(request, url);
}

const server = createServer(async (request, response) => {
  const answer = await handle(request);
  if (latencyMs > 0) setTimeout(() => respond(response, answer), latencyMs);
  else respond(response, answer);
});
// No client may meet a connection that is just being closed.
server.keepAliveTimeout = 600_000;
announce(server);
