import { jsonResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
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

/** Serves a document without a key. The document does not describe this path itself. */
export function openApiRoute(document: ReturnType<typeof describeService>): Route {
  return { method: 'GET', path: '/openapi.json', handle: async () => jsonResponse(200, document) };
}
