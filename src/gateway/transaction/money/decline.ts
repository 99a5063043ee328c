import type { Rejection } from '../../operation/operation.ts';
import { isObject } from '../../rest/record.ts';

/** A decline: the processing error in the service's own shape, without the payment. */
export function toDecline(error: unknown): Rejection {
  const { response: _payment, ...processingError } = isObject(error) ? error : {};
  return {
    code: 'PROCESSING_FAILED',
    message: 'The payments service declined the payment.',
    processingError: isObject(error) ? processingError : (error ?? null),
  };
}
