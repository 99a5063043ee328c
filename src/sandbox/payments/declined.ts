import { z } from 'zod';
import { HttpError } from '../http/http-error.ts';
import { id } from './fields.ts';
import { errorFields, processingErrors } from './processing-errors.ts';

/** The response to a declined payment. */
export const ProcessingError = z
  .object({ ...errorFields, response: z.object({ transaction: z.object({ id }) }) })
  .meta({ id: 'ProcessingError' });

/** Creates a 400 with a processing error and the id of the failed transaction. */
export function declined(code: number, transactionId: string): HttpError {
  return new HttpError(400, {
    ...processingErrors.get(code),
    response: { transaction: { id: transactionId } },
  });
}
