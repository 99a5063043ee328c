import { builder } from '../graphql/builder.ts';
import { isObject, readFlag, readTextOrNull } from '../rest/record.ts';

/** A processing error as the service sent it; its shape is not promised. */
export interface ProcessingError {
  readonly raw: unknown;
}

/** `false`, null and nothing at all mean that there was no error. */
export function toProcessingError(raw: unknown): ProcessingError | null {
  return raw === undefined || raw === null || raw === false ? null : { raw };
}

function textOf({ raw }: ProcessingError, ...fields: string[]): string | null {
  if (typeof raw === 'string') return fields.includes('message') ? raw : null;
  if (!isObject(raw)) return null;
  return fields.map((field) => readTextOrNull(raw, field)).find((text) => text !== null) ?? null;
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
      description: "The service's code, such as 7 for insufficient funds; null when it gave none.",
      resolve: (error) => textOf(error, 'code'),
    }),
    message: t.string({
      nullable: true,
      description: "The service's words; null when it gave none.",
      resolve: (error) => textOf(error, 'message', 'text'),
    }),
    client: t.boolean({
      nullable: true,
      description: 'Whether the cardholder can act on it; null when the service does not tell.',
      resolve: (error) => flagOf(error, 'client'),
    }),
    merchant: t.boolean({
      nullable: true,
      description: 'Whether the merchant can act on it; null when the service does not tell.',
      resolve: (error) => flagOf(error, 'merchant'),
    }),
    raw: t.field({
      type: 'JSON',
      nullable: true,
      description:
        "The service's own object, whose shape it does not promise; without the payment that it may repeat.",
      resolve: ({ raw }) => raw,
    }),
  }),
});
