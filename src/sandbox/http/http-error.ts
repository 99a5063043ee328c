import { z } from 'zod';

const message = z.string().describe('For people.');
const FieldError = z.object({
  field: z.string().describe('A dotted path, a query parameter, or `body`.'),
  message,
});

/** One invalid field of a request. */
export type FieldError = Readonly<z.output<typeof FieldError>>;

/** The body of a 400. */
export const FieldErrors = z.array(FieldError).meta({ id: 'FieldErrors' });

/** The body of every other error. */
export const ErrorMessage = z.object({ message }).meta({ id: 'Error' });

/**
 * Ends a request with a 4xx response. Any code below a handler may throw it; the server sends
 * it to the caller.
 */
export class HttpError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    super(`HTTP status ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Creates an error with a `message` for people. Clients rely on the status only. */
export function httpError(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): HttpError {
  return new HttpError(status, { message }, headers);
}

/** Creates a 400 that lists every invalid field. */
export function invalidFields(errors: readonly FieldError[]): HttpError {
  return new HttpError(400, errors);
}

/** Creates a 400 with one invalid field. */
export function invalidField(field: string, message: string): HttpError {
  return invalidFields([{ field, message }]);
}

/** Returns a value, or throws a 404 that says what is missing. */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw httpError(404, `${what} does not exist`);
  return value;
}
