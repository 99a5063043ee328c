import { isObject } from '../upstream/record.ts';

/** The error codes that any mutation may return. */
export const generalErrorCodes = {
  INVALID_INPUT: { description: 'An input field is not valid. See `path` and `details`.' },
  NOT_FOUND: {
    description: 'The record does not exist, or the calling app has no access to it.',
  },
  FORBIDDEN: { description: 'The calling app or access token is not permitted to do this.' },
  UNAUTHENTICATED: { description: 'The app key or access token is missing or not valid.' },
  CONFLICT: {
    description:
      'Another request changed the record first. Read the record again before you retry. Retry a money operation with a new idempotency key.',
  },
  UPSTREAM_REJECTED: {
    description: 'The service rejected the request. `message` contains the reason.',
  },
  RATE_LIMITED: {
    description:
      'Too many apps were created without an app key in the last minute. This request changed nothing. Try again later.',
  },
  UPSTREAM_UNAVAILABLE: {
    description:
      'The service is not available, so this request sent nothing, or the service temporarily refused it. Try again later.',
  },
} as const satisfies ErrorCodes;

/** Error codes with their descriptions. */
export type ErrorCodes = Readonly<Record<string, { readonly description: string }>>;

/** A code that any mutation may return. */
export type GeneralErrorCode = keyof typeof generalErrorCodes;

/** What every typed error of a mutation has. */
export interface MutationFailure<Code extends string = GeneralErrorCode> {
  readonly code: Code;
  readonly message: string;
  readonly path?: readonly string[];
}

/**
 * A request that, as far as the gateway knows, was not carried out. Create it with {@link
 * requestFailure}.
 */
export interface RequestFailure extends MutationFailure<string> {
  readonly __typename: 'RequestError';
  readonly details: readonly InputComplaint[];
}

/** What is wrong with one input field. */
export interface InputComplaint {
  /** Path of the input field, starting with the argument. */
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Creates a {@link RequestFailure}. For other codes, pass their type:
 * `requestFailure<MoneyErrorCode>('NOT_SENT', …)`.
 *
 * @param path the input field that caused the error, if there is exactly one
 */
export function requestFailure<Code extends string = GeneralErrorCode>(
  code: NoInfer<Code>,
  message: string,
  path?: readonly string[],
): RequestFailure {
  const details = path === undefined ? [] : [{ path, message }];
  return { __typename: 'RequestError', code, message, ...(path ? { path } : {}), details };
}

/** Input paths of the service's fields whose name or position differs. */
export type InputPaths = Readonly<Record<string, readonly string[]>>;

/** The typed error for a rejection: the service's own messages, and the input fields they name. */
export function toInputFailure(body: unknown, paths: InputPaths): RequestFailure {
  const details = (Array.isArray(body) ? body : [body]).filter(isObject).map((complaint) => {
    const field = typeof complaint.field === 'string' ? complaint.field : 'body';
    const message =
      typeof complaint.message === 'string' ? complaint.message : 'Rejected by the service';
    return {
      path: ['input', ...(paths[field] ?? (field === 'body' ? [] : field.split('.')))],
      message,
    };
  });
  const namesField = details.some(({ path }) => path.length > 1);
  const message = details
    .map(({ path, message }) => `${path.slice(1).join('.') || 'input'}: ${message}`)
    .join('; ');
  return {
    ...requestFailure(
      namesField ? 'INVALID_INPUT' : 'UPSTREAM_REJECTED',
      message || 'The service rejected the request without a reason.',
    ),
    ...(details.length === 1 && details[0] ? { path: details[0].path } : {}),
    details,
  };
}

/** The typed error for an updated field that is null although it cannot be cleared. */
export function rejectNull(fields: Readonly<Record<string, unknown>>): RequestFailure | undefined {
  const name = Object.keys(fields).find((key) => fields[key] === null);
  if (name === undefined) return undefined;
  const message = `${name} cannot be cleared. To keep its value, leave it out.`;
  return requestFailure('INVALID_INPUT', message, ['input', name]);
}
