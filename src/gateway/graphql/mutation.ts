import { isObject } from '../rest/record.ts';
import { ForbiddenError, RestError } from '../rest/rest-error.ts';
import { builder, type GraphObject } from './builder.ts';

/** Why a mutation did not answer with its success. */
const ErrorCode = builder.enumType('ErrorCode', {
  description:
    'Why a mutation did not answer with its success. More may come: have a default branch.',
  values: {
    INVALID_INPUT: { description: 'An input field is wrong; `path` and `details` name it.' },
    AMOUNT_TOO_LARGE: { description: 'More was asked for than is left.' },
    CURRENCY_MISMATCH: { description: "The amount is not in the transaction's currency." },
    NOT_FOUND: { description: 'What the mutation is about does not exist, or is not yours.' },
    FORBIDDEN: { description: 'The calling app may not do this.' },
    UNAUTHENTICATED: { description: 'The app key is missing or wrong.' },
    CONFLICT: { description: 'Another change came first. Read again, then decide.' },
    PROCESSING_FAILED: { description: 'The processor declined the payment.' },
    OUTCOME_UNKNOWN: {
      description:
        'Sent, and no trustworthy answer came: it may have taken effect. Repeat with the same idempotency key.',
    },
    NOT_SENT: {
      description:
        'This request sent nothing. Repeat with the same idempotency key: only then it shows what an earlier request did.',
    },
    TRANSACTION_BUSY: {
      description:
        'Another operation on this transaction has not ended. This request sent nothing.',
    },
    IDEMPOTENCY_KEY_REUSED: {
      description:
        'The idempotency key is known with other arguments. One key, one intended movement.',
    },
    IDEMPOTENCY_KEY_IN_USE: {
      description: 'The operation with this idempotency key is still under way. Ask again.',
    },
    STORE_UNAVAILABLE: {
      description:
        'Operations cannot be looked up or recorded at the moment, so this request sent nothing. Repeat with the same idempotency key.',
    },
    UPSTREAM_REJECTED: { description: 'The service refused; its words are in the message.' },
    UPSTREAM_UNAVAILABLE: {
      description: 'The service was not reached, nothing was sent. Try again.',
    },
  },
});

/** The names of {@link ErrorCode}. */
export type ErrorCodeName = typeof ErrorCode.$inferType;

/** What every typed error of a mutation tells. */
export interface MutationFailure {
  readonly code: ErrorCodeName;
  readonly message: string;
  readonly path?: readonly string[];
}

/** A request was refused and did nothing. */
export interface RequestFailure extends MutationFailure {
  readonly __typename: 'RequestError';
  readonly details: readonly { readonly path: readonly string[]; readonly message: string }[];
}

export const MutationErrorRef = builder.interfaceRef<MutationFailure>('MutationError').implement({
  description: 'What every typed error of a mutation tells. Use it as the default branch.',
  fields: (t) => ({
    code: t.expose('code', { type: ErrorCode, description: 'For programs to branch on.' }),
    message: t.exposeString('message', { description: 'For people; the words may change.' }),
    path: t.stringList({
      nullable: true,
      description: 'Path of the input field to blame; null when there is not exactly one.',
      resolve: ({ path }) => path ?? null,
    }),
  }),
});

const FieldErrorRef = builder.objectRef<RequestFailure['details'][number]>('FieldError').implement({
  description: 'One complaint about the input.',
  fields: (t) => ({
    path: t.stringList({
      description: 'Path of the input field, from the argument down.',
      resolve: ({ path }) => path,
    }),
    message: t.exposeString('message', { description: 'What is wrong with it.' }),
  }),
});

const RequestErrorRef = builder.objectRef<RequestFailure>('RequestError').implement({
  description:
    'Refused, before the service was asked or by it: this request did nothing. It says nothing about an earlier request with the same idempotency key.',
  interfaces: [MutationErrorRef],
  fields: (t) => ({
    details: t.field({
      type: [FieldErrorRef],
      description: 'Every complaint about the input, when there are several.',
      resolve: ({ details }) => details,
    }),
  }),
});

/** Makes a {@link RequestFailure}, with the field to blame if there is one. */
export function requestFailure(
  code: ErrorCodeName,
  message: string,
  path?: readonly string[],
): RequestFailure {
  const details = path === undefined ? [] : [{ path, message }];
  return { __typename: 'RequestError', code, message, ...(path ? { path } : {}), details };
}

/** What every member of a result is told apart by. */
interface Member {
  readonly __typename: string;
}

/** The result of a mutation: its success, errors of its own, or a {@link RequestFailure}. */
export function resultType<
  Success extends Member,
  OwnError extends Member = RequestFailure,
  OtherError extends Member = RequestFailure,
>(
  mutation: string,
  success: GraphObject<Success>,
  ownError?: GraphObject<OwnError>,
  otherError?: GraphObject<OtherError>,
) {
  const unknown = [ownError, otherError].some((error) => error?.name === 'OutcomeUnknownError')
    ? ' `OutcomeUnknownError` means that it may have been done.'
    : '';
  return builder.unionType(`${mutation}Result`, {
    description: `What \`${mutation.charAt(0).toLowerCase()}${mutation.slice(1)}\` answers: its success, or a typed error.${unknown}`,
    types: [
      success,
      ...(ownError === undefined ? [] : [ownError]),
      ...(otherError === undefined ? [] : [otherError]),
      RequestErrorRef,
    ],
    resolveType: (value) => (value as Member).__typename,
  });
}

/** Where a service's field stands in the input, for those with another name or place. */
export type InputPaths = Readonly<Record<string, readonly string[]>>;

/**
 * Runs a write. What the service certainly refused, or never received, becomes a
 * {@link RequestFailure}; everything else, above all an unknown outcome, flies on to
 * the door.
 */
export async function toResult<T>(
  work: Promise<T>,
  paths: InputPaths = {},
): Promise<T | RequestFailure> {
  try {
    return await work;
  } catch (error) {
    const failure = toFailure(error, paths);
    if (failure === undefined) throw error;
    return failure;
  }
}

function toFailure(error: unknown, paths: InputPaths): RequestFailure | undefined {
  if (error instanceof ForbiddenError) return requestFailure('FORBIDDEN', error.message);
  if (!(error instanceof RestError)) return undefined;
  if (error.outcome !== 'REJECTED') {
    // A read that fails here came before the write, so the write was never sent.
    const neverSent = error.outcome === 'NOT_SENT' || error.method === 'GET';
    return neverSent
      ? requestFailure(
          'UPSTREAM_UNAVAILABLE',
          'The service did not answer; nothing was sent. Try again.',
        )
      : undefined;
  }
  if (error.status === 401) return requestFailure('UNAUTHENTICATED', UNAUTHENTICATED);
  if (error.status === 403) return requestFailure('FORBIDDEN', 'This app has no access to that.');
  if (error.notFound) return requestFailure('NOT_FOUND', 'There is no such record.');
  if (error.status === 409) {
    return requestFailure('CONFLICT', 'Another change came first. Read again, then decide.');
  }
  return toInputFailure(error.body, paths);
}

/** What to say to a caller whose key is missing or wrong. */
export const UNAUTHENTICATED =
  'There is no app key, or the payments service does not know it. Send the key of an app: `Authorization: Bearer <key>`, or Basic with an empty user name.';

/** A refusal in the service's words, with the input fields it names. */
export function toInputFailure(body: unknown, paths: InputPaths): RequestFailure {
  const details = (Array.isArray(body) ? body : [body]).filter(isObject).map((complaint) => {
    const field = typeof complaint.field === 'string' ? complaint.field : 'body';
    const message = typeof complaint.message === 'string' ? complaint.message : 'Not accepted';
    return {
      path: ['input', ...(paths[field] ?? (field === 'body' ? [] : field.split('.')))],
      message,
    };
  });
  const named = details.some(({ path }) => path.length > 1);
  const [only] = details.length === 1 ? details : [];
  return {
    __typename: 'RequestError',
    code: named ? 'INVALID_INPUT' : 'UPSTREAM_REJECTED',
    message:
      details
        .map(({ path, message }) => `${path.slice(1).join('.') || 'input'}: ${message}`)
        .join('; ') || 'The service refused this.',
    ...(only ? { path: only.path } : {}),
    details,
  };
}
