import { z } from 'zod';
import { type Check, type Fields, readBodyFields, readQueryFields, type Shape } from './fields.ts';
import type { FieldError } from './http-error.ts';
import { emptyResponse, type HttpResponse, jsonResponse } from './response.ts';
import type { HttpRequest, Route } from './router.ts';

/** A response, for the OpenAPI document. Without `json` and `html`, it has no body. */
export interface ResponseDescription {
  readonly description: string;
  readonly json?: z.ZodType;
  readonly html?: true;
  readonly headers?: Readonly<Record<string, object>>;
}

/** What the OpenAPI document says about an operation. */
export interface Description {
  readonly summary: string;
  readonly deprecated?: true;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether the body can be a form, and fields without a value can be null. */
  readonly takesForms?: true;
  /** Whether the body can have any content type. */
  readonly takesAnything?: true;
  /** The first one is the response to a request that succeeds. */
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** The statuses of errors, besides those in `responses`. */
  readonly errors: readonly number[];
}

/** An operation: how it is handled, and how it is described. */
export interface DescribedRoute extends Route {
  readonly description: Description;
}

/** Finds what a request is about: who sent it, or the record that its path names. */
export interface FindSubject<Subject> {
  /** The statuses of errors that `find` throws. */
  readonly errors: readonly number[];
  readonly find: (request: HttpRequest) => Promise<Subject>;
}

/** An operation of a service. Requests are checked in the order of the properties. */
interface Operation<Subject, Query extends Shape, Body extends Shape, Result>
  extends Omit<Description, 'query' | 'body' | 'takesForms' | 'takesAnything' | 'errors'> {
  readonly method: Route['method'];
  readonly path: string;
  readonly subject?: FindSubject<Subject>;
  readonly query?: Query;
  readonly body?: Body;
  /** Checks several fields of the body together. */
  readonly check?: (fields: Partial<Fields<Body>>, subject: Subject) => readonly FieldError[];
  /** Statuses of errors besides those of the subject and those in {@link impliedErrors}. */
  readonly errors?: readonly number[];
  readonly handle: (request: {
    readonly params: HttpRequest['params'];
    readonly subject: Subject;
    readonly query: Fields<Query>;
    readonly body: Fields<Body>;
  }) => Promise<Result>;
  /** Creates the response. By default, it is JSON, or empty if the result is undefined. */
  readonly respond?: (result: Result, status: number) => HttpResponse;
}

/** Defines an operation of a service. */
export function defineOperation<
  Subject,
  Result,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
>({
  method,
  path,
  subject,
  query,
  body,
  check = () => [],
  errors = [],
  handle,
  respond = jsonOrEmpty,
  ...described
}: Operation<Subject, Query, Body, Result>): DescribedRoute {
  const status = Number(Object.keys(described.responses)[0]);
  return {
    method,
    path,
    description: {
      ...described,
      ...(query && { query: z.object(query) }),
      ...(body && { body: nested(body), takesForms: true as const }),
      errors: [...(subject?.errors ?? []), ...errors, ...impliedErrors(query, body)],
    },
    handle: async (request) => {
      // Without the properties, the types of these are `unknown` or have no known fields.
      const about = (await subject?.find(request)) as Subject;
      const parameters = (query && readQueryFields(request.query, query)) as Fields<Query>;
      const checkBoth: Check<Body> = (fields) => check(fields, about);
      const fields = (body &&
        readBodyFields(await request.body(), body, checkBoth)) as Fields<Body>;
      const { params } = request;
      return respond(
        await handle({ params, subject: about, query: parameters, body: fields }),
        status,
      );
    },
  };
}

function jsonOrEmpty(result: unknown, status: number): HttpResponse {
  return result === undefined ? emptyResponse(status) : jsonResponse(status, result);
}

/** The statuses of errors that every operation has, and that follow from what it reads. */
export function impliedErrors(query: unknown, body: unknown): number[] {
  return [
    414,
    ...(query !== undefined || body !== undefined ? [400] : []),
    ...(body !== undefined ? [413, 415] : []),
  ];
}

/** Describes a response with a JSON body. */
export function json(description: string, schema: z.ZodType): ResponseDescription {
  return { description, json: schema };
}

/** Returns the schema of a body with these fields. */
export function nested(shape: Shape): z.ZodObject {
  const fields: Record<string, z.ZodType> = {};
  for (const [name, field] of Object.entries(shape)) {
    const [outer = name, inner] = name.split('.');
    if (inner === undefined) fields[name] = field;
    else fields[outer] ??= nestedObject(shape, `${outer}.`);
  }
  return z.object(fields);
}

/** Returns the schema of a nested object, which is required if one of its fields is. */
function nestedObject(shape: Shape, prefix: string): z.ZodType {
  const own = Object.entries(shape).filter(([name]) => name.startsWith(prefix));
  const object = z.object(
    Object.fromEntries(own.map(([name, field]) => [name.slice(prefix.length), field])),
  );
  return own.every(([, field]) => field._zod.optin === 'optional') ? object.optional() : object;
}
