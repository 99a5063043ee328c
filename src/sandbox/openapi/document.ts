import { jsonResponse } from '../http/response.ts';
import { DOCUMENT_PATH, type Route } from '../http/router.ts';
import { errorResponses } from './operation.ts';
import { record, type Schema } from './schema.ts';

/** The schemas and paths of one kind of record. */
export interface DocumentPart {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly paths: Readonly<Record<string, Schema>>;
}

/** Returns the OpenAPI 3.1 document of a service. */
export function describeService(
  title: string,
  description: string,
  parts: readonly DocumentPart[],
  securitySchemes: Readonly<Record<string, Schema>> = {},
) {
  const errors = {
    Message: record({ message: { type: 'string' } }),
    FieldError: record({ field: { type: 'string' }, message: { type: 'string' } }),
  };
  return {
    openapi: '3.1.0',
    info: { title, description, version: '1' },
    paths: Object.assign({}, ...parts.map(({ paths }) => paths)),
    components: {
      schemas: Object.assign({}, errors, ...parts.map(({ schemas }) => schemas)),
      responses: errorResponses,
      securitySchemes,
    },
  };
}

/** The OpenAPI document of a service. */
export type OpenApiDocument = ReturnType<typeof describeService>;

/**
 * Serves the document of a service, with its address, and at `/` its name and where the document
 * is. Neither requires a key. The document does not describe these two paths.
 */
export function documentRoutes(
  { openapi, info, ...rest }: OpenApiDocument,
  serviceUrl: string,
): Route[] {
  const document = { openapi, info, servers: [{ url: serviceUrl }], ...rest };
  const summary = { name: info.title, openapi: serviceUrl + DOCUMENT_PATH };
  return [
    { method: 'GET', path: '/', handle: async () => jsonResponse(200, summary) },
    { method: 'GET', path: DOCUMENT_PATH, handle: async () => jsonResponse(200, document) },
  ];
}
