import { builder } from '../../schema/builder.ts';
import { isObject, readFlag, readStringOrNull } from '../../upstream/record.ts';

/** A processing error as the service sent it. Its shape is not specified. */
export interface ProcessingError {
  readonly raw: unknown;
}

/** `false`, null and absent mean that there was no error. */
export function toProcessingError(raw: unknown): ProcessingError | null {
  return raw === undefined || raw === null || raw === false ? null : { raw };
}

function textOf({ raw }: ProcessingError, ...fields: string[]): string | null {
  if (typeof raw === 'string') return fields.includes('message') ? raw : null;
  if (!isObject(raw)) return null;
  return fields.map((field) => readStringOrNull(raw, field)).find((text) => text !== null) ?? null;
}

function flagOf({ raw }: ProcessingError, field: string): boolean | null {
  return isObject(raw) && raw[field] !== undefined ? readFlag(raw, field) : null;
}

/** Why a payment was declined. */
export const ProcessingErrorRef = builder.objectRef<ProcessingError>('ProcessingError').implement({
  description: 'Why a payment was declined.',
  fields: (t) => ({
    code: t.string({
      nullable: true,
      description: "The service's code, such as 7 for insufficient funds. Null if not reported.",
      resolve: (error) => textOf(error, 'code'),
    }),
    message: t.string({
      nullable: true,
      description: "The service's message. Null if not reported.",
      resolve: (error) => textOf(error, 'message', 'text'),
    }),
    client: t.boolean({
      nullable: true,
      description: 'Whether the cardholder can resolve the problem. Null if not reported.',
      resolve: (error) => flagOf(error, 'client'),
    }),
    merchant: t.boolean({
      nullable: true,
      description: 'Whether the merchant can resolve the problem. Null if not reported.',
      resolve: (error) => flagOf(error, 'merchant'),
    }),
    raw: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'The error as the payments service returned it. In `ProcessingFailedError`, the field `response` is left out, because it can contain a copy of the transaction. The structure of the error is not defined and can change. Null if not reported.',
      resolve: ({ raw }) => raw,
    }),
  }),
});
