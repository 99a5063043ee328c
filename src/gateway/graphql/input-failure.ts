import { isObject } from '../rest/record.ts';
import { type RequestFailure, requestFailure } from './mutation-error.ts';

/** Where a field of the service is in the input, for fields with another name or place. */
export type InputPaths = Readonly<Record<string, readonly string[]>>;

/** The typed error for a rejection: the service's own messages, and the input fields they name. */
export function toInputFailure(body: unknown, paths: InputPaths): RequestFailure {
  const details = (Array.isArray(body) ? body : [body]).filter(isObject).map((complaint) => {
    const field = typeof complaint.field === 'string' ? complaint.field : 'body';
    const message =
      typeof complaint.message === 'string' ? complaint.message : 'Rejected by the service';
    return {
      path: ['input', ...(paths[field] ?? (field === 'body' ? [] : field.split('.')))],
      message,
    };
  });
  const namesField = details.some(({ path }) => path.length > 1);
  const message = details
    .map(({ path, message }) => `${path.slice(1).join('.') || 'input'}: ${message}`)
    .join('; ');
  return {
    ...requestFailure(
      namesField ? 'INVALID_INPUT' : 'UPSTREAM_REJECTED',
      message || 'The service rejected the request without a reason.',
    ),
    ...(details.length === 1 && details[0] ? { path: details[0].path } : {}),
    details,
  };
}
