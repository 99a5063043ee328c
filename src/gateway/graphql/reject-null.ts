import { type RequestFailure, requestFailure } from './request-failure.ts';

/** The typed error for a field of an update that is null although it cannot be cleared. */
export function rejectNull(fields: Readonly<Record<string, unknown>>): RequestFailure | undefined {
  const name = Object.keys(fields).find((key) => fields[key] === null);
  if (name === undefined) return undefined;
  const message = `${name} cannot be cleared. To keep its value, leave it out.`;
  return requestFailure('INVALID_INPUT', message, ['input', name]);
}
