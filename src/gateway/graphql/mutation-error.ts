import { builder, type Graph } from './builder.ts';

/** The error codes that any mutation may return. */
const generalErrorCodes = {
  INVALID_INPUT: { description: 'An input field is not valid. See `path` and `details`.' },
  NOT_FOUND: {
    description: 'The object does not exist, or the calling app has no access to it.',
  },
  FORBIDDEN: { description: 'The calling app is not permitted to do this.' },
  UNAUTHENTICATED: { description: 'The app key is missing or not valid.' },
  CONFLICT: { description: 'Another change came first. Read the object again, then decide.' },
  UPSTREAM_REJECTED: {
    description: 'The service rejected the request. `message` contains its reason.',
  },
  UPSTREAM_UNAVAILABLE: {
    description: 'The service could not be reached and nothing was sent. Try again later.',
  },
} as const satisfies ErrorCodes;

/** Error codes with their descriptions. */
export type ErrorCodes = Readonly<Record<string, { readonly description: string }>>;

/** A code that any mutation may return. */
export type GeneralErrorCode = keyof typeof generalErrorCodes;

const ErrorCodeRef: PothosSchemaTypes.EnumRef<Graph, string> = builder.enumType('ErrorCode', {
  description:
    'Why a mutation did not return its success type. New values may be added: handle unknown ones.',
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

/** A request that changed nothing. Make one with {@link requestFailure}. */
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
      'The fields of every typed error of a mutation. Select it last, to handle errors that your client does not know.',
    fields: (t) => ({
      code: t.expose('code', {
        type: ErrorCodeRef,
        description: 'Why the mutation failed, for use in programs.',
      }),
      message: t.exposeString('message', {
        description: 'Explanation for people. The text may change.',
      }),
      path: t.stringList({
        nullable: true,
        description:
          'Path of the input field that caused the error. Null if there is not exactly one.',
        resolve: ({ path }) => path ?? null,
      }),
    }),
  });

const FieldErrorRef = builder.objectRef<InputComplaint>('FieldError').implement({
  description: 'What is wrong with one input field.',
  fields: (t) => ({
    path: t.stringList({
      description: 'Path of the input field, starting with the argument.',
      resolve: ({ path }) => path,
    }),
    message: t.exposeString('message', { description: 'What is wrong with the field.' }),
  }),
});

/** The typed error of a request that changed nothing. */
export const RequestErrorRef = builder.objectRef<RequestFailure>('RequestError').implement({
  description:
    'The request is not valid, or the service rejected it. This request changed nothing. It says nothing about an earlier request with the same idempotency key.',
  interfaces: [MutationErrorRef],
  fields: (t) => ({
    details: t.field({
      type: [FieldErrorRef],
      description: 'Everything that is wrong with the input, one entry for each field.',
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
