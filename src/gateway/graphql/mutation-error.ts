import { builder, type Graph } from './builder.ts';

/** The error codes that any mutation may return. */
const generalErrorCodes = {
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
      'The service is not available, so this request sent nothing, or the service responded that it does not accept requests at the moment. Try again later.',
  },
} as const satisfies ErrorCodes;

/** Error codes with their descriptions. */
export type ErrorCodes = Readonly<Record<string, { readonly description: string }>>;

/** A code that any mutation may return. */
export type GeneralErrorCode = keyof typeof generalErrorCodes;

const ErrorCodeRef: PothosSchemaTypes.EnumRef<Graph, string> = builder.enumType('ErrorCode', {
  description:
    'Why a mutation did not return its success type. New values can be added: handle unknown values.',
  values: generalErrorCodes,
});

/** Adds the codes of a part of the graph to the enum `ErrorCode`. */
export function addErrorCodes(codes: ErrorCodes): void {
  ErrorCodeRef.updateConfig((config) => ({ ...config, values: { ...config.values, ...codes } }));
}

/** What every typed error of a mutation has. */
export interface MutationFailure<Code extends string = GeneralErrorCode> {
  readonly code: Code;
  readonly message: string;
  readonly path?: readonly string[];
}

/** A request that was not carried out, as far as the gateway knows. Make one with {@link requestFailure}. */
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

/** The interface of every typed error of a mutation. */
export const MutationErrorRef = builder
  .interfaceRef<MutationFailure<string>>('MutationError')
  .implement({
    description:
      'The fields that all errors of mutations have. Select `... on MutationError` last to handle error types that your client does not know.',
    fields: (t) => ({
      code: t.expose('code', {
        type: ErrorCodeRef,
        description: 'Machine-readable reason for the failure.',
      }),
      message: t.exposeString('message', {
        description: 'Human-readable explanation. The text can change: do not compare it.',
      }),
      path: t.stringList({
        nullable: true,
        description:
          'Path of the input field that caused the error, starting with the name of the argument. Null if no single field caused the error.',
        resolve: ({ path }) => path ?? null,
      }),
    }),
  });

const FieldErrorRef = builder.objectRef<InputComplaint>('FieldError').implement({
  description: 'What is wrong with one input field.',
  fields: (t) => ({
    path: t.stringList({
      description:
        'Path of the input field, starting with the name of the argument. Contains only that name if the error is about the input as a whole.',
      resolve: ({ path }) => path,
    }),
    message: t.exposeString('message', { description: 'What is wrong with the field.' }),
  }),
});

/** The typed error of a request that was not carried out, as far as the gateway knows. */
export const RequestErrorRef = builder.objectRef<RequestFailure>('RequestError').implement({
  description:
    'This request is not valid, it was not sent, or the service responded that it did not carry it out; if it was a money operation, the service also showed no effect when the gateway read it. If the mutation has an idempotency key, an earlier request with the same key may have been applied. With the `code` `UPSTREAM_REJECTED` or `CONFLICT`, the service rejected the operation with this key.',
  interfaces: [MutationErrorRef],
  fields: (t) => ({
    details: t.field({
      type: [FieldErrorRef],
      description:
        'What is wrong with the input, one entry for each error. Empty if the error is not about the input.',
      resolve: ({ details }) => details,
    }),
  }),
});

/**
 * Makes a {@link RequestFailure}. For a code of another part of the graph, name its type:
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
