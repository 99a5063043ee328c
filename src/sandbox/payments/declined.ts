import { Refusal } from '../http/refusal.ts';
import { processingErrors } from './processing-errors.ts';

/** 400 with a processing error; the failed transaction was kept and is named. */
export function declined(code: number, transactionId: string): Refusal {
  return new Refusal(400, {
    ...processingErrors.get(code),
    response: { transaction: { id: transactionId } },
  });
}
