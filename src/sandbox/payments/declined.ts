import { HttpError } from '../http/http-error.ts';
import { processingErrors } from './processing-errors.ts';

/** 400 with a processing error; the failed transaction was kept and is named. */
export function declined(code: number, transactionId: string): HttpError {
  return new HttpError(400, {
    ...processingErrors.get(code),
    response: { transaction: { id: transactionId } },
  });
}
