import { jsonResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { refusalResponses } from './operation.ts';
import { record, type Schema } from './schema.ts';

/** What a noun of a service adds to its description. */
export interface Chapter {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly paths: Readonly<Record<string, Schema>>;
}

/** A whole description, OpenAPI 3.1. */
export function describeService(
  title: string,
  description: string,
  chapters: readonly Chapter[],
  securitySchemes: Readonly<Record<string, Schema>> = {},
) {
  const refusals = {
    Message: record({ message: { type: 'string' } }),
    FieldError: record({ field: { type: 'string' }, message: { type: 'string' } }),
  };
  return {
    openapi: '3.1.0',
    info: { title, description, version: '1' },
    paths: Object.assign({}, ...chapters.map(({ paths }) => paths)),
    components: {
      schemas: Object.assign({}, refusals, ...chapters.map(({ schemas }) => schemas)),
      responses: refusalResponses,
      securitySchemes,
    },
  };
}

/** Shows a description to everybody. It is no operation of the service, and not in the description. */
export function openApiRoute(document: ReturnType<typeof describeService>): Route {
  return { method: 'GET', path: '/openapi.json', handle: async () => jsonResponse(200, document) };
}
