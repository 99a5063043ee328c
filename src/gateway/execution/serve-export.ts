import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import { type Identity, ownerOf } from '../access/identity.ts';
import type { Taken } from '../access/rate-accounts.ts';
import type { RateLimit } from '../access/rate-limit.ts';
import { rateHeaders } from '../access/rate-limit.ts';
import { newScope } from '../channels.ts';
import { AFTER, ExportError, FIRST, toExportDocument } from '../export/export-document.ts';
import { type ExportRequest, readExportRequest } from '../export/export-request.ts';
import { openExport } from '../export/export-response.ts';
import { type PageResponse, runExport } from '../export/run-export.ts';
import type { HttpError } from '../http/respond.ts';
import { MAX_PAGE_SIZE } from '../schema/paging.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import { createKnownReads, type KnownReads, keepUsers } from '../upstream/caller.ts';
import { createShares } from '../upstream/shares.ts';
import { createContext } from './create-context.ts';
import type { ReadDocument } from './documents/read-document.ts';
import { retryAfter } from './documents/request-error.ts';
import type { Pipeline } from './pipeline.ts';

/** Options of exports. */
export type ExportOptions = Pick<GatewaySettings, 'exports' | 'http' | 'pageMax'>;

/** Responds to a request for an export, or returns why it cannot. */
export type ServeExport = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => Promise<HttpError | undefined>;

/** Creates the handler of `POST /export`. Every page is executed like a separate request. */
export function createServeExport(pipeline: Pipeline, options: ExportOptions): ServeExport {
  const shares = createShares(options.exports.inFlight);

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    asked: ExportRequest,
    identity: Identity,
  ) {
    const { rate, measure } = pipeline;
    const refused = rate.refusal(identity);
    if (refused !== undefined) return tooMuch(rate, refused);
    const query = pipeline.resolve(asked);
    if (typeof query !== 'string') return { status: 400, ...query };
    const prepared = prepare(pipeline, query, asked, options.pageMax);
    if ('status' in prepared) return prepared;
    const { document, parsed, operation, size } = prepared;
    const after = asked.after ?? null;
    const firstPage = { ...asked.variables, [FIRST]: size, [AFTER]: after };
    const first = await rate.take(identity, measure(parsed, operation, firstPage));
    if (!first.isGranted) return tooMuch(rate, first);
    const opened = openExport(response, asked.format);
    // The list of users is not paginated, so each page would read all of it again.
    let users = createKnownReads();
    const end = await runExport({
      ...{ document, size, format: asked.format, after: asked.after, limits: options.exports },
      write: opened.write,
      pause: opened.pause,
      execute: async (page) => {
        const variables = { ...asked.variables, ...page };
        const isFirst = page[AFTER] === after;
        const caller = isFirst
          ? identity
          : await admitPage(pipeline, request, prepared, variables, opened.pause);
        if (caller === undefined) return undefined;
        const known = keepUsers(users);
        const reader = { identity: caller, known };
        const answer = await executePage(pipeline, request, reader, prepared, variables);
        if (isFirst) users = keepUsers(known);
        return answer;
      },
    });
    opened.end(end);
    return undefined;
  }

  return async (request, response, body) => {
    const asked = readExportRequest(body, options.http.maxJsonDepth);
    if ('status' in asked) return asked;
    const identity = await pipeline.shared.identify(request.headers.authorization);
    // The owners share the places, so that no app can take all of them.
    const leave = shares.take(ownerOf(identity));
    if (leave === undefined) return BUSY;
    try {
      return await serve(request, response, asked, identity);
    } finally {
      leave();
    }
  };
}

const BUSY: HttpError = {
  status: 503,
  code: 'OVERLOADED',
  message: 'Too many exports are running. Repeat the request later.',
  headers: { 'retry-after': '10' },
};

/** An export that may be executed. */
interface Prepared {
  readonly document: ReturnType<typeof toExportDocument>;
  readonly parsed: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly size: number;
}

function prepare(
  { schema, read, readDerived, measure, maxComplexity }: Pipeline,
  query: string,
  { operationName, path, variables }: ExportRequest,
  pageMax: number,
): Prepared | HttpError {
  // The documents are read for the export, not for one of its pages.
  const scope = newScope();
  const given = orError(read(query, scope));
  if ('status' in given) return given;
  const operation = getOperationAST(given.document, operationName);
  if (operation == null) return bad('`operationName` must select one operation of the query.');
  try {
    const document = toExportDocument(given.document, operation, path, schema);
    const rewritten = orError(readDerived(document.text, given.document, scope));
    if ('status' in rewritten) return rewritten;
    const parsed = rewritten.document;
    const page = getOperationAST(parsed);
    if (page == null) throw new Error('A rewritten query has one operation.');
    const most = Math.min(MAX_PAGE_SIZE, pageMax);
    const points = measure(parsed, page, { ...variables, [FIRST]: most });
    // A smaller page is as good, as long as it is not empty.
    const size = points <= maxComplexity ? most : Math.floor((most * maxComplexity) / points);
    if (size === 0) return bad('One item has a larger complexity than a request may have.');
    return { document, parsed, operation: page, size };
  } catch (error) {
    if (error instanceof ExportError) return bad(error.message);
    throw error;
  }
}

function orError(found: ReadDocument) {
  return 'document' in found ? found : bad(found.errors[0]?.message ?? 'The query is not valid.');
}

function bad(message: string): HttpError {
  return { status: 400, code: 'BAD_USER_INPUT', message };
}

/** The error for a caller who has used too much before the first page. */
function tooMuch(rate: RateLimit, taken: Taken): HttpError {
  return {
    status: 429,
    code: 'RATE_LIMITED',
    message: 'The app has requested too much in the last minute. Try again later.',
    headers: { ...retryAfter(taken.resetMs), ...rateHeaders(rate, taken) },
  };
}

/**
 * Identifies the caller of a page, and waits until they may use its points. Undefined if the client
 * has disconnected in the meantime.
 */
async function admitPage(
  { measure, rate, shared }: Pipeline,
  request: IncomingMessage,
  { parsed, operation }: Prepared,
  variables: Readonly<Record<string, unknown>>,
  pause: (ms: number) => Promise<boolean>,
): Promise<Identity | undefined> {
  const points = measure(parsed, operation, variables);
  for (;;) {
    // Repeated after each wait, because a token can expire.
    const identity = await shared.identify(request.headers.authorization);
    // Without a credential, the page fails without a call. It must not wait for the points of
    // unknown callers.
    if (identity.credential === undefined) return identity;
    const taken = await rate.take(identity, points);
    if (taken.isGranted) return identity;
    if (!(await pause(taken.resetMs))) return undefined;
  }
}

async function executePage(
  { shared, startRecord, execute, maskError }: Pipeline,
  request: IncomingMessage,
  { identity, known }: { readonly identity: Identity; readonly known: KnownReads },
  { document, parsed, operation }: Prepared,
  variables: Readonly<Record<string, unknown>>,
): Promise<PageResponse> {
  const record = startRecord(request.headers);
  record.noteCaller(ownerOf(identity));
  const context = createContext(shared, identity, record.allowance, known);
  const { scope } = record;
  const result = await Promise.resolve(
    execute({ document: parsed, operation, variables, context, scope }),
  ).finally(record.allowance.end);
  const masked = (result.errors ?? []).map(maskError);
  const errors = masked.filter((error) => error instanceof GraphQLError);
  record.noteOperation(parsed, operation.name?.value);
  record.noteErrors(errors);
  record.noteExecution();
  record.end(200, document.text);
  return { data: result.data, errors, usage: record.allowance.usage };
}
