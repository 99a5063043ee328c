import { listOf, ref, type Schema } from './schema.ts';

/** The statuses of refusals that a description names. */
type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 414 | 415;

/** What is said of an operation; the rest of its description follows from it. */
interface OperationInput {
  readonly summary: string;
  readonly parameters?: readonly Schema[];
  /** The fields of its body; left out for an operation without one. */
  readonly body?: Schema;
  readonly answers: Readonly<Record<number, Schema>>;
  /** Besides those of every operation (414) and of every body (400, 413, 415). */
  readonly refusals: readonly RefusalStatus[];
  readonly deprecated?: true;
}

const words = ['yes', 'no', 'y', 'n', 'true', 'false', '1', '0'];

/** An operation of the document. It needs a key exactly if it is refused without one. */
export function operation({ body, answers, refusals, ...rest }: OperationInput): Schema {
  const statuses = new Set([...refusals, 414, ...(body === undefined ? [] : [400, 413, 415])]);
  const refused = [...statuses].sort().map((status) => {
    const own = answers[status] ?? { $ref: `#/components/responses/${status}` };
    return [status, own];
  });
  return {
    ...rest,
    security: refusals.includes(401) ? [{ key: [] }] : [],
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: { ...answers, ...Object.fromEntries(refused) },
  };
}

/** Both encodings of a body. In a form, brackets name nested fields and words stand for Booleans. */
function requestBody(schema: Schema): Schema {
  const properties = Object.entries(schema.properties as Readonly<Record<string, Schema>>);
  const nested = properties.filter(([, { type }]) => type === 'object' || isNested(type));
  const inForm = properties.map(([name, property]) =>
    String(property.type).startsWith('boolean') ? [name, { enum: words }] : [name, property],
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

/** An answer with a JSON body. */
export function json(description: string, schema: Schema): Schema {
  return { description, content: { 'application/json': { schema } } };
}

/** An answer without a body. */
export function empty(description: string): Schema {
  return { description };
}

/** A placeholder of a path. */
export function inPath(name: string, description: string): Schema {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

/** A parameter of a query. */
function inQuery(name: string, description: string, schema: Schema, required = false): Schema {
  return { name, in: 'query', required, description, schema };
}

const cursor: Schema = { type: 'string', pattern: '^[0-9A-Fa-f]{24}$' };

/** The page of a list. */
export const paging: readonly Schema[] = [
  inQuery('limit', 'How many items', { type: 'integer', minimum: 1, maximum: 1000 }, true),
  inQuery('before', 'Only items older than this id', cursor),
  inQuery('after', 'Only items newer than this id; alone it turns the order round', cursor),
];

/** A filter of a list: a flag. */
export function flagFilter(name: string): Schema {
  return inQuery(`filter[${name}]`, `Only those whose ${name} is this`, { enum: words });
}

/** A filter of a list: an id. */
export function idFilter(name: string, required = false): Schema {
  return inQuery(`filter[${name}]`, `Only those with this ${name}`, cursor, required);
}

/** What refusals look like, by status, for `components/responses`. */
export const refusalResponses = {
  400: json('Something is wrong with the input; every fault at once', listOf('FieldError')),
  401: {
    ...json('No key, or none of an app', ref('Message')),
    headers: { 'www-authenticate': { schema: { const: 'Basic realm="payments"' } } },
  },
  403: json('The app has no access to this record', ref('Message')),
  404: json('There is no such record', ref('Message')),
  409: json('It fitted when it was checked, but another change came first', ref('Message')),
  413: json('The body is longer than 64 KiB', ref('Message')),
  414: json('The request line is longer than 8 KiB', ref('Message')),
  415: json('The body is neither JSON nor a form', ref('Message')),
};
