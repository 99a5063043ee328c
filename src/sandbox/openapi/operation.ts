import { listOf, type ObjectSchema, ref, type Schema } from './schema.ts';

/** The error statuses that an operation can describe. */
type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 414 | 415;

interface OperationInput {
  readonly summary: string;
  readonly parameters?: readonly Schema[];
  /** The body of the request. Omitted for an operation without one. */
  readonly body?: ObjectSchema;
  readonly responses: Readonly<Record<number, Schema>>;
  /** Besides 414, which every operation has, and 400, 413, 415, which every body has. */
  readonly errors: readonly ErrorStatus[];
  readonly deprecated?: true;
}

/** The words for a Boolean in a form or a query. */
export const flagWords = ['yes', 'no', 'y', 'n', 'true', 'false', '1', '0'];

/** Describes an operation. An operation with the error 401 requires a key. */
export function operation({ body, responses, errors, ...rest }: OperationInput): Schema {
  const statuses = new Set([...errors, 414, ...(body === undefined ? [] : [400, 413, 415])]);
  const errorResponses = [...statuses].sort().map((status) => {
    const response = responses[status] ?? { $ref: `#/components/responses/${status}` };
    return [status, response];
  });
  return {
    ...rest,
    security: errors.includes(401) ? [{ key: [] }] : [],
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: { ...responses, ...Object.fromEntries(errorResponses) },
  };
}

/** Describes both encodings of a body. A form has brackets for nested fields, words for Booleans. */
function requestBody(schema: ObjectSchema): Schema {
  const properties = Object.entries(schema.properties);
  const nested = properties.filter(([, { type }]) => type === 'object' || isNested(type));
  const inForm = properties.map(([name, property]) =>
    String(property.type).startsWith('boolean') ? [name, { enum: flagWords }] : [name, property],
  );
  return {
    content: {
      'application/json': { schema },
      'application/x-www-form-urlencoded': {
        schema: { ...schema, properties: Object.fromEntries(inForm) },
        encoding: Object.fromEntries(
          nested.map(([name]) => [name, { style: 'deepObject', explode: true }]),
        ),
      },
    },
  };
}

function isNested(type: unknown): boolean {
  return Array.isArray(type) && type.includes('object');
}

/** Describes a response with a JSON body. */
export function json(description: string, schema: Schema): Schema {
  return { description, content: { 'application/json': { schema } } };
}

/** Describes a response without a body. */
export function empty(description: string): Schema {
  return { description };
}

/** Describes a parameter in the path. */
export function inPath(name: string, description: string): Schema {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

/** Describes a parameter in the query. */
export function inQuery(
  name: string,
  description: string,
  schema: Schema,
  required = false,
): Schema {
  return { name, in: 'query', required, description, schema };
}

const limit: Schema = { type: 'integer', minimum: 1, maximum: 1000 };
const cursor: Schema = { type: 'string', pattern: '^[0-9A-Fa-f]{24}$' };

/** The parameters of every list. */
export const listParameters: readonly Schema[] = [
  inQuery('limit', 'Maximum number of records.', limit, true),
  inQuery('before', 'Returns only records older than the one with this id.', cursor),
  inQuery(
    'after',
    'Returns only records newer than the one with this id. Without `before`, the oldest of them come first.',
    cursor,
  ),
];

/** Describes a filter by a flag. */
export function flagFilter(name: string): Schema {
  const description = `Returns only records whose \`${name}\` has this value.`;
  return inQuery(`filter[${name}]`, description, { enum: flagWords });
}

/** Describes a filter by an id. */
export function idFilter(name: string, required = false): Schema {
  return inQuery(`filter[${name}]`, `Returns only records with this ${name}.`, cursor, required);
}

/** The error responses by status, for `components/responses`. */
export const errorResponses = {
  400: json('The request is invalid. The body lists every error.', listOf('FieldError')),
  401: {
    ...json('The key is missing, or it is not the key of an app.', ref('Message')),
    headers: { 'www-authenticate': { schema: { const: 'Basic realm="payments"' } } },
  },
  403: json('The app has no access to this record.', ref('Message')),
  404: json('The record does not exist.', ref('Message')),
  409: json('Another request changed the transaction first.', ref('Message')),
  413: json('The body is longer than 64 KiB.', ref('Message')),
  414: json('The request line is longer than 8 KiB.', ref('Message')),
  415: json('The body is neither JSON nor a form.', ref('Message')),
};
