import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DocumentNode, GraphQLError, getOperationAST } from 'graphql';
import { createContext } from './create-context.ts';
import { ExportError, FIRST, toExportDocument } from './export/export-document.ts';
import { type ExportRequest, readExportRequest } from './export/export-request.ts';
import { openExport } from './export/export-response.ts';
import { type ExportLimits, type PageAnswer, runExport } from './export/run-export.ts';
import { MAX_PAGE_SIZE } from './graphql/paging.ts';
import type { HttpError } from './http/respond.ts';
import type { Identity } from './protect/identity.ts';
import type { Trace } from './trace.ts';
import type { Answering } from './yoga.ts';

/** What exports are made with. */
export interface ExportOptions extends ExportLimits {
  readonly inFlight: number;
  readonly maxJsonDepth: number;
  readonly pageMax: number;
  readonly startTrace: (request: IncomingMessage) => Trace;
  /** Writes the line of one page to the log. */
  readonly logPage: (trace: Trace, documentText: string) => void;
}

/** Answers a request for an export, or says why it cannot. */
export type ServeExport = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => Promise<HttpError | undefined>;

/** Creates what answers `POST /export`. Every page is executed like a request of its own. */
export function createServeExport(answering: Answering, options: ExportOptions): ServeExport {
  let running = 0;

  async function serve(request: IncomingMessage, response: ServerResponse, asked: ExportRequest) {
    const prepared = prepare(answering, asked, options.pageMax);
    if ('status' in prepared) return prepared;
    const identity = await answering.shared.identify(request.headers.authorization);
    const { document, size } = prepared;
    const opened = openExport(response, asked.format);
    const end = await runExport({
      ...{ document, size, format: asked.format, after: asked.after, limits: options },
      write: opened.write,
      execute: (page) =>
        executePage(answering, options, request, identity, prepared, {
          ...asked.variables,
          ...page,
        }),
    });
    opened.end(end);
    return undefined;
  }

  return async (request, response, body) => {
    const asked = readExportRequest(body, options.maxJsonDepth);
    if ('status' in asked) return asked;
    if (running >= options.inFlight) return BUSY;
    running++;
    try {
      return await serve(request, response, asked);
    } finally {
      running--;
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
  readonly size: number;
}

function prepare(
  { schema, read, measure, maxComplexity }: Answering,
  { query, operationName, path, variables }: ExportRequest,
  pageMax: number,
): Prepared | HttpError {
  const given = readOrError(read, query);
  if ('status' in given) return given;
  const operation = getOperationAST(given.document, operationName);
  if (operation == null) return bad('`operationName` must select one operation of the query.');
  try {
    const document = toExportDocument(given.document, operation, path, schema);
    const rewritten = readOrError(read, document.text);
    if ('status' in rewritten) return rewritten;
    const parsed = rewritten.document;
    const only = getOperationAST(parsed);
    if (only == null) return bad('The query has no operation.');
    const most = Math.min(MAX_PAGE_SIZE, pageMax);
    const points = measure(parsed, only, { ...variables, [FIRST]: most });
    // Less at once is as good, as long as it is something.
    const size = points <= maxComplexity ? most : Math.floor((most * maxComplexity) / points);
    if (size === 0) return bad('One item has a larger complexity than a request may have.');
    return { document, parsed, size };
  } catch (error) {
    if (error instanceof ExportError) return bad(error.message);
    throw error;
  }
}

function readOrError(read: Answering['read'], text: string) {
  const found = read(text);
  return 'document' in found ? found : bad(found.errors[0]?.message ?? 'The query is not valid.');
}

function bad(message: string): HttpError {
  return { status: 400, code: 'BAD_USER_INPUT', message };
}

async function executePage(
  { shared, measure, rate, execute, maskError }: Answering,
  { startTrace, logPage }: ExportOptions,
  request: IncomingMessage,
  identity: Identity,
  { document, parsed }: Prepared,
  variables: Readonly<Record<string, unknown>>,
): Promise<PageAnswer> {
  const operation = getOperationAST(parsed);
  if (operation == null) throw new Error('The document of an export has one operation.');
  const points = measure(parsed, operation, variables);
  for (let wait = take(); wait !== undefined; wait = take()) {
    const pause = wait.retryAfterMs;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  const trace = startTrace(request);
  const context = createContext(shared, identity, trace.allowance);
  const result = await execute({ document: parsed, operation, variables, context });
  const masked = (result.errors ?? []).map(maskError);
  const errors = masked.filter((error) => error instanceof GraphQLError);
  trace.noteOperation(parsed, operation.name?.value);
  trace.noteErrors(errors);
  logPage(trace, document.text);
  return { data: result.data, errors, calls: trace.allowance.usage.calls };

  function take() {
    return rate.take(identity.credential?.digest ?? '', points);
  }
}
