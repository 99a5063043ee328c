import { z } from 'zod';
import type { ControlOperation } from './operation.ts';

/** The bodies of errors. */
const errorSchemas = {
  Error: z.object({ message: z.string().describe('For people.') }),
  FieldErrors: z.array(
    z.object({
      field: z.string().describe('A dotted path, a query parameter, or `body`.'),
      message: z.string().describe('For people.'),
    }),
  ),
};

const errors = {
  400: ['The request is invalid. The body lists every error.', 'FieldErrors'],
  403: ['The request comes from a page of another origin, or names another host.', 'Error'],
  404: ['What the path names does not exist.', 'Error'],
  405: ['The path does not support the method; the header `allow` lists those it does.', 'Error'],
  409: ['The state of the records does not allow it.', 'Error'],
  413: ['The body is too long.', 'Error'],
  414: ['The request line is too long.', 'Error'],
  415: ['The body is not JSON.', 'Error'],
} as const;

/** Returns the OpenAPI 3.1 document of the control interface. */
export function describeControl(operations: readonly ControlOperation[], url: string) {
  const schemas: Record<string, unknown> = {};
  const toSchema = (schema: z.ZodType, io: 'input' | 'output') => {
    const described = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const text = JSON.stringify(described).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { $defs = {}, $schema: _, ...rest } = JSON.parse(text);
    Object.assign(schemas, $defs);
    return rest;
  };
  for (const [name, schema] of Object.entries(errorSchemas)) {
    schemas[name] = toSchema(schema, 'output');
  }
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { description } of operations) {
    const path = description.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [description.method.toLowerCase()]: describe(description, toSchema),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control interface of the Tillgraph sandbox',
      description:
        'Changes how the sandbox behaves. It needs no key, and accepts requests of this machine only unless the sandbox was started otherwise. Bodies are JSON: send `content-type: application/json`, unless the body is empty.',
      version: '1',
    },
    servers: [{ url }],
    paths,
    components: { schemas },
  };
}

type ToSchema = (schema: z.ZodType, io: 'input' | 'output') => object;

function describe(
  { method, path, summary, body, query, output, status }: ControlOperation['description'],
  toSchema: ToSchema,
) {
  const json = (schema: z.ZodType, io: 'input' | 'output') => ({
    content: { 'application/json': { schema: toSchema(schema, io) } },
  });
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const statuses = statusesOf(method, path, body, query);
  return {
    summary,
    security: [],
    parameters: [...inPath, ...(query === undefined ? [] : queryParameters(query, toSchema))],
    ...(body === undefined
      ? {}
      : { requestBody: { required: !body.safeParse({}).success, ...json(body, 'input') } }),
    responses: {
      [status]: { description: 'Done.', ...(output === undefined ? {} : json(output, 'output')) },
      ...Object.fromEntries(
        Object.entries(errors)
          .filter(([code]) => statuses.has(Number(code)))
          .map(([code, [description, name]]) => [
            code,
            {
              description,
              content: {
                'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
              },
            },
          ]),
      ),
    },
  };
}

/** The statuses of errors that an operation can have. */
function statusesOf(
  method: string,
  path: string,
  body: z.ZodType | undefined,
  query: z.ZodType | undefined,
): Set<number> {
  const namesRecord = path.includes(':');
  return new Set([
    ...[403, 405, 414],
    ...(body !== undefined || query !== undefined ? [400] : []),
    ...(body !== undefined ? [413, 415] : []),
    // A body with required fields names a record, too.
    ...(namesRecord || body?.safeParse({}).success === false ? [404] : []),
    ...((namesRecord && method !== 'DELETE') || (body !== undefined && method !== 'GET')
      ? [409]
      : []),
  ]);
}

function queryParameters(query: z.ZodType, toSchema: ToSchema) {
  // The schema of a query is one of an object.
  const { properties = {} } = toSchema(query, 'input') as { properties?: Record<string, object> };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }));
}
