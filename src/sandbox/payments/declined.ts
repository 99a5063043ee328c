import { HttpError } from '../http/http-error.ts';
import { processingErrors } from './processing-errors.ts';

/** Creates a 400 with a processing error and the id of the failed transaction. */
export function declined(code: number, transactionId: string): HttpError {
  return new HttpError(400, {
    ...processingErrors.get(code),
    response: { transaction: { id: transactionId } },
  });
}
