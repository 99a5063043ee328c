import type { z } from 'zod';

const EXPECTED: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a list',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'Must be a date and time in ISO 8601, such as 2026-08-01T12:00:00Z',
  url: 'Must be a URL',
};

/**
 * Says what is wrong with a value, in the words of the services. Undefined for what a schema says
 * better itself.
 */
export function problem(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type':
      if (input === undefined) return 'Missing';
      return `Must be ${EXPECTED[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return bound(issue.origin, 'at least', Number(issue.minimum), input);
    case 'too_big':
      return bound(issue.origin, 'at most', Number(issue.maximum), input);
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      return Array.isArray(issue.options) ? oneOf(issue.options) : undefined;
    case 'invalid_format':
      return FORMATS[issue.format];
    case 'unrecognized_keys':
      return 'Unknown field';
    default:
      return undefined;
  }
}

function bound(origin: string, side: 'at least' | 'at most', limit: number, value: unknown) {
  const unit = { string: 'characters', array: 'items' }[origin];
  if (unit === undefined) return `Must be ${side} ${limit}; it was ${value}`;
  if (side === 'at least' && limit === 1) return 'Must not be empty';
  return `Must have ${side} ${limit} ${unit}`;
}

function oneOf(values: Iterable<unknown>): string {
  const names = [...values].map((value) => JSON.stringify(value));
  return names.length === 1 ? `Must be ${names[0]}` : `Must be one of ${names.join(', ')}`;
}
