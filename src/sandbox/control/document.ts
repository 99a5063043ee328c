import { z } from 'zod';
import type { ControlOperation } from './operation.ts';

const errors = {
  400: 'The request is invalid. The body lists every error.',
  403: 'The request comes from a page of another origin, or names another host.',
  404: 'What the path names does not exist.',
  409: 'The state of the records does not allow it.',
  413: 'The body is too long.',
  415: 'The body is not JSON.',
};

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
        'Changes how the sandbox behaves. It needs no key, and accepts requests of this machine only unless the sandbox was started otherwise. Bodies are JSON, also empty ones: send `content-type: application/json`.',
      version: '1',
    },
    servers: [{ url }],
    paths,
    components: { schemas },
  };
}

type ToSchema = (schema: z.ZodType, io: 'input' | 'output') => object;

function describe(
  { path, summary, body, query, output, status }: ControlOperation['description'],
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
  return {
    summary,
    security: [],
    parameters: [...inPath, ...(query === undefined ? [] : queryParameters(query, toSchema))],
    ...(body === undefined ? {} : { requestBody: { required: true, ...json(body, 'input') } }),
    responses: {
      [status]: { description: 'Done.', ...(output === undefined ? {} : json(output, 'output')) },
      ...Object.fromEntries(
        Object.entries(errors).map(([code, description]) => [code, { description }]),
      ),
    },
  };
}

function queryParameters(query: z.ZodType, toSchema: ToSchema) {
  const { properties = {} } = toSchema(query, 'input') as { properties?: Record<string, object> };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }));
}
