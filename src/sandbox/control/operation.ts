import type { z } from 'zod';
import { isJsonObject } from '../http/body.ts';
import { invalidField, invalidFields } from '../http/http-error.ts';
import { type DescribedRoute, impliedErrors } from '../http/operation.ts';
import { emptyResponse, type HttpResponse, jsonResponse } from '../http/response.ts';
import type { HttpRequest, Route } from '../http/router.ts';

/** What an operation reads of its request. */
export interface ControlRequest<Body, Query> {
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
}

interface Declaration<Body extends z.ZodType, Query extends z.ZodType> {
  readonly method: Route['method'];
  readonly path: string;
  /** One sentence, for the OpenAPI document. */
  readonly summary: string;
  /** The body of the request; none if left out. */
  readonly body?: Body;
  readonly query?: Query;
  /** The body of the response; none if left out. */
  readonly output?: z.ZodType;
  /** 200 if left out, or 204 without an output. */
  readonly status?: number;
  /** The statuses of errors besides 403, 405 and 414, if they do not follow from the rest. */
  readonly errors?: readonly number[];
  /** Whether the body can have any content type. */
  readonly takesAnything?: true;
}

interface Operation<Body extends z.ZodType, Query extends z.ZodType>
  extends Declaration<Body, Query> {
  /** Fields of which a body must have exactly one. It determines the form of the body. */
  readonly either?: readonly string[];
  readonly handle: (
    request: ControlRequest<z.output<Body>, z.output<Query>>,
  ) => Promise<unknown> | unknown;
}

/** Defines an operation. Its body must be JSON that fits the schema; 400 lists what does not. */
export function defineOperation<Body extends z.ZodType, Query extends z.ZodType>(
  operation: Operation<Body, Query>,
): DescribedRoute {
  const { body, either, query, output, handle } = operation;
  return describeRoute(operation, async (request, status) => {
    const result = await handle({
      params: request.params,
      // Without a schema, the types of both are `unknown`.
      body: (body && read(body, await request.json(), either)) as z.output<Body>,
      query: (query && read(query, Object.fromEntries(request.query))) as z.output<Query>,
    });
    return output === undefined ? emptyResponse(status) : jsonResponse(status, result);
  });
}

/** Adds its description to an operation. */
export function describeRoute(
  declaration: Declaration<z.ZodType, z.ZodType>,
  handle: (request: HttpRequest, status: number) => Promise<HttpResponse>,
): DescribedRoute {
  const { method, path, summary, body, query, output, takesAnything } = declaration;
  const { status = output === undefined ? 204 : 200 } = declaration;
  return {
    method,
    path,
    description: {
      summary,
      ...(query && { query }),
      ...(body && { body }),
      ...(takesAnything && { takesAnything }),
      responses: { [status]: { description: 'Done.', ...(output && { json: output }) } },
      errors: errorsOf(declaration),
    },
    handle: (request) => handle(request, status),
  };
}

/** The statuses of errors that an operation can have. */
function errorsOf({
  method,
  path,
  body,
  query,
  errors,
}: Declaration<z.ZodType, z.ZodType>): readonly number[] {
  if (errors !== undefined) return [403, 405, 414, ...errors];
  const namesRecord = path.includes(':');
  // A body with required fields also names a record.
  const hasRecord = namesRecord || body?.safeParse({}).success === false;
  const changes = namesRecord ? method !== 'DELETE' : body !== undefined;
  return [
    ...[403, 405, ...impliedErrors(query, body)],
    ...(hasRecord ? [404] : []),
    ...(changes ? [409] : []),
  ];
}

function read<T extends z.ZodType>(
  schema: T,
  value: unknown,
  either: readonly string[] = [],
): z.output<T> {
  const { success, data, error } = schema.safeParse(value, { error: problem });
  if (success) return data;
  const given = either.filter((name) => isJsonObject(value) && Object.hasOwn(value, name));
  if (either.length > 0 && given.length !== 1) {
    throw invalidField('body', `Send either ${either.map((name) => `\`${name}\``).join(' or ')}`);
  }
  throw invalidFields(
    error.issues
      .flatMap((issue) => closestIssues(issue, given))
      .flatMap(oneForEachKey)
      .map(({ path, message }) => ({ field: path.join('.') || 'body', message })),
  );
}

/** Returns the errors of the form that a body fits best, if it fits none. */
function closestIssues(issue: z.core.$ZodIssue, given: readonly string[]): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const knows = (issues: readonly z.core.$ZodIssue[]) =>
    !issues.some(
      (inner) =>
        inner.code === 'unrecognized_keys' && inner.keys.some((key) => given.includes(key)),
    );
  const [closest = []] = issue.errors.toSorted(
    (one, other) => Number(knows(other)) - Number(knows(one)) || one.length - other.length,
  );
  return closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** An error names one field, but an object has one issue for all its unknown keys. */
function oneForEachKey(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({ ...issue, path: [...issue.path, key] }));
}

const EXPECTED: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a list',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'Must be a date and time in ISO 8601, such as 2026-08-01T12:00:00Z',
  url: 'Must be a URL',
};

/**
 * Describes what is wrong with a value as the services do. Returns undefined if the message of the
 * schema is better.
 */
export function problem(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type':
      if (input === undefined) return 'Missing';
      return `Must be ${EXPECTED[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return bound(issue.origin, 'at least', Number(issue.minimum), input);
    case 'too_big':
      return bound(issue.origin, 'at most', Number(issue.maximum), input);
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      return Array.isArray(issue.options) ? oneOf(issue.options) : undefined;
    case 'invalid_format':
      return FORMATS[issue.format];
    case 'unrecognized_keys':
      return 'Unknown field';
    default:
      return undefined;
  }
}

function bound(origin: string, side: 'at least' | 'at most', limit: number, value: unknown) {
  const unit = { string: 'characters', array: 'items' }[origin];
  if (unit === undefined) return `Must be ${side} ${limit}; it was ${value}`;
  if (side === 'at least' && limit === 1) return 'Must not be empty';
  return `Must have ${side} ${limit} ${unit}`;
}

function oneOf(values: Iterable<unknown>): string {
  const names = [...values].map((value) => JSON.stringify(value));
  return names.length === 1 ? `Must be ${names[0]}` : `Must be one of ${names.join(', ')}`;
}
