import { z } from 'zod';
import { flagWords } from './fields.ts';
import { ErrorMessage, FieldErrors } from './http-error.ts';
import type { DescribedRoute, Description, ResponseDescription } from './operation.ts';
import { jsonResponse } from './response.ts';
import { DOCUMENT_PATH, type Route } from './router.ts';

/** What an OpenAPI document says about a whole service. */
export interface ServiceDescription {
  readonly title: string;
  readonly description: string;
  /** The meaning of errors, where it differs from that in other services. */
  readonly errors?: Readonly<Record<number, string>>;
  readonly securitySchemes?: Readonly<Record<string, object>>;
}

const errorTexts: Readonly<Record<number, string>> = {
  400: 'The request is invalid. The body lists every error.',
  401: 'The key is missing, or it is not the key of an app.',
  403: 'The app has no access to this record.',
  404: 'The record does not exist.',
  405: 'The path does not support the method; the header `allow` lists those it does.',
  409: 'Another request changed the transaction first.',
  413: 'The body is too long.',
  414: 'The request line is longer than 8 KiB.',
  415: 'The body is neither JSON nor a form.',
};

/** A JSON Schema (2020-12), or a part of one. */
type JsonSchema = Readonly<Record<string, unknown>> & {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
};
type ToSchema = (schema: z.ZodType, io: 'input' | 'output') => JsonSchema;

/** Returns the OpenAPI 3.1 document of a service. */
function describeService(
  { title, description, errors = {}, securitySchemes = {} }: ServiceDescription,
  routes: readonly DescribedRoute[],
  url: string,
) {
  const schemas: Record<string, unknown> = {};
  const toSchema: ToSchema = (schema, io) => {
    const described = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const text = JSON.stringify(described).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { $defs = {}, $schema: _, ...rest } = JSON.parse(text);
    Object.assign(schemas, $defs);
    return rest;
  };
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path, description } of routes) {
    const name = path.replace(/:(\w+)/g, '{$1}');
    const operation = describeOperation(path, description, { ...errorTexts, ...errors }, toSchema);
    paths[name] = { ...paths[name], [method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: { title, description, version: '1' },
    servers: [{ url }],
    paths,
    components: { schemas, securitySchemes },
  };
}

/** Serves the document of a service. It requires no key, and the document does not describe it. */
export function documentRoute(
  service: ServiceDescription,
  routes: readonly DescribedRoute[],
  url: string,
): Route {
  // Made when it is requested, because most sandboxes of tests never are.
  const handle = async () => jsonResponse(200, describeService(service, routes, url));
  return { method: 'GET', path: DOCUMENT_PATH, handle };
}

/** Serves the name of a service and the address of its document at `/`, also without a key. */
export function indexRoute({ title }: ServiceDescription, url: string): Route {
  const index = { name: title, openapi: url + DOCUMENT_PATH };
  return { method: 'GET', path: '/', handle: async () => jsonResponse(200, index) };
}

/** Describes an operation. It requires a key if it has the error 401. */
function describeOperation(
  path: string,
  { summary, deprecated, query, body, takesForms, takesAnything, responses, errors }: Description,
  texts: Readonly<Record<number, string>>,
  toSchema: ToSchema,
): object {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const failures = errors.map((status): [number, ResponseDescription] => [
    status,
    {
      description: texts[status] ?? '',
      json: status === 400 ? FieldErrors : ErrorMessage,
      ...(status === 401 && {
        headers: { 'www-authenticate': { schema: { const: 'Basic realm="payments"' } } },
      }),
    },
  ]);
  const all: Description['responses'] = { ...Object.fromEntries(failures), ...responses };
  return {
    summary,
    ...(deprecated && { deprecated }),
    security: errors.includes(401) ? [{ key: [] }] : [],
    parameters: [...inPath, ...(query ? queryParameters(toSchema(query, 'input')) : [])],
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: takesAnything ? { '*/*': {} } : bodyContent(toSchema(body, 'input'), takesForms),
      },
    }),
    responses: Object.fromEntries(
      Object.entries(all).map(([status, response]) => [
        status,
        describeResponse(response, toSchema),
      ]),
    ),
  };
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): object[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
  }));
}

function describeResponse({ json, html, ...rest }: ResponseDescription, toSchema: ToSchema) {
  const content = {
    ...(html && { 'text/html': { schema: { type: 'string' } } }),
    ...(json && { 'application/json': { schema: toSchema(json, 'output') } }),
  };
  return { ...rest, ...((html || json) && { content }) };
}

/** Describes a body. A form has brackets for nested fields, and words for Booleans. */
function bodyContent(schema: JsonSchema, takesForms = false) {
  if (!takesForms) return { 'application/json': { schema } };
  const lenient = withNull(schema);
  const properties = Object.entries(lenient.properties ?? {});
  const is = (type: string, property: JsonSchema) => [property.type].flat().includes(type);
  const nested = properties.filter(([, property]) => is('object', property));
  const inForm = properties.map(([name, property]) => [
    name,
    is('boolean', property) && !is('string', property) ? { enum: flagWords } : property,
  ]);
  return {
    'application/json': { schema: lenient },
    'application/x-www-form-urlencoded': {
      schema: { ...lenient, properties: Object.fromEntries(inForm) },
      encoding: Object.fromEntries(
        nested.map(([name]) => [name, { style: 'deepObject', explode: true }]),
      ),
    },
  };
}

/** Returns an object schema in which fields that are not required can be null. */
function withNull(schema: JsonSchema): JsonSchema {
  const { properties, required = [] } = schema;
  if (properties === undefined) return schema;
  const orNull = ({ type, enum: values, ...rest }: JsonSchema) => ({
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && { enum: [...values, null] }),
    ...rest,
  });
  const lenient = Object.entries(properties).map(([name, property]) => {
    const inner = withNull(property);
    return [name, required.includes(name) ? inner : orNull(inner)];
  });
  return { ...schema, properties: Object.fromEntries(lenient) };
}
