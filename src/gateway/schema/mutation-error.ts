import type { GraphQLField } from 'graphql';
import { builder, type Graph, type GraphObject } from './builder.ts';
import {
  type ErrorCodes,
  generalErrorCodes,
  type InputComplaint,
  type MutationFailure,
  type RequestFailure,
} from './request-failure.ts';

const ErrorCodeRef: PothosSchemaTypes.EnumRef<Graph, string> = builder.enumType('ErrorCode', {
  description:
    'Why a mutation did not return its success type. New values can be added: handle unknown values.',
  values: generalErrorCodes,
});

/** Adds error codes to the enum `ErrorCode`. */
export function addErrorCodes(codes: ErrorCodes): void {
  ErrorCodeRef.updateConfig((config) => ({ ...config, values: { ...config.values, ...codes } }));
}

/** The interface of every typed error of a mutation. */
export const MutationErrorRef = builder
  .interfaceRef<MutationFailure<string>>('MutationError')
  .implement({
    description:
      'The fields that all mutation errors have. Select `... on MutationError` last to handle error types that your client does not know.',
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

/** The typed error of a request that, as far as the gateway knows, was not carried out. */
const RequestErrorRef = builder.objectRef<RequestFailure>('RequestError').implement({
  description:
    'This request is not valid, it was not sent, or the service responded that it did not carry it out. In the last case, if it was a money operation, the service also showed no effect when the gateway read it. If the mutation has an idempotency key, an earlier request with the same key may have been applied. If `code` is `UPSTREAM_REJECTED` or `CONFLICT`, the service rejected the operation with this key.',
  interfaces: [MutationErrorRef],
  fields: (t) => ({
    details: t.field({
      type: [FieldErrorRef],
      description:
        'What is wrong with the input, one entry per error. Empty if the error is not about the input.',
      resolve: ({ details }) => details,
    }),
  }),
});

/** What all members of a result have in common. */
interface Member {
  readonly __typename: string;
}

/**
 * The union that a mutation returns: its success type, its own error types and `RequestError`.
 *
 * @param errors the mutation's own error types
 * @param note another sentence for the description
 */
export function resultType<Success extends Member, Errors extends readonly Member[] = []>(
  mutation: string,
  success: GraphObject<Success>,
  errors?: { readonly [Index in keyof Errors]: GraphObject<Errors[Index]> },
  note?: string,
) {
  const field = `${mutation.charAt(0).toLowerCase()}${mutation.slice(1)}`;
  const description = `The result of \`${field}\`: its success type or a typed error.`;
  return builder.unionType(`${mutation}Result`, {
    description: note === undefined ? description : `${description} ${note}`,
    types: [success, ...(errors ?? []), RequestErrorRef],
    resolveType: ({ __typename }) => __typename,
  });
}

const MOVES_MONEY = 'movesMoney';

/** Options of a mutation that moves money. The gateway limits how many of these a document has. */
export const movesMoney = { extensions: { [MOVES_MONEY]: true } } as const;

/** Whether a field was declared with {@link movesMoney}. */
export function isMoneyField(field: GraphQLField<unknown, unknown> | undefined): boolean {
  return field?.extensions[MOVES_MONEY] === true;
}
