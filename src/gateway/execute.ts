import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { createContext, type Shared } from './create-context.ts';
import { cacheDocuments } from './document/document-cache.ts';
import { readDocument } from './document/read-document.ts';
import { useDocuments } from './document/use-documents.ts';
import { createMaskError } from './errors.ts';
import { toSubgraph } from './federation/subgraph.ts';
import { schema } from './schema.ts';
import type { GatewaySettings } from './settings.ts';

/** What a request passes to Yoga: its body, which was read and checked. */
interface Read extends Record<string, unknown> {
  readonly params: GraphQLParams;
}

/** Yoga takes the body that was read, and does not read it itself. */
const useReadBody: Plugin<object, Read> = {
  onRequestParse: ({ serverContext, setRequestParser }) =>
    setRequestParser(() => serverContext.params),
};

const REQUEST_ID = /^[\w-]{1,64}$/;

/** The client's own id of a request, if it is one; otherwise a new one. */
function readRequestId(header: string | null): string {
  return header !== null && REQUEST_ID.test(header) ? header : randomUUID();
}

/** Creates the function that executes GraphQL requests. */
export function createExecute(
  settings: Pick<GatewaySettings, 'federation' | 'documents' | 'introspection' | 'production'>,
  shared: Shared,
  onBug: (error: unknown) => void,
) {
  const { federation, documents, production, introspection = !production } = settings;
  const { limits, cache } = documents;
  const served = federation ? toSubgraph(schema) : schema;
  const rules = { schema: served, limits, introspection };
  const read = cacheDocuments((text) => readDocument(text, rules), cache);
  const yoga = createYoga<Read>({
    schema: served,
    context: ({ request }) =>
      createContext(
        shared,
        request.headers.get('authorization'),
        readRequestId(request.headers.get('x-request-id')),
      ),
    maskedErrors: { maskError: createMaskError(onBug) },
    plugins: [useDocuments(read, served, limits.complexity), useReadBody],
    logging: false,
    landingPage: false,
    // Done before Yoga gets the request.
    cors: false,
    graphiql: false,
    maxRequestBodySize: false,
    multipart: false,
    parserAndValidationCache: false,
  });
  return async (request: IncomingMessage, response: ServerResponse, params: GraphQLParams) =>
    yoga.handleNodeRequestAndResponse(request, response, { params });
}
