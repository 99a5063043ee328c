import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped, visit } from 'graphql';
import { isCurrencyCode, isDay, isInstant } from '../upstream/record.ts';
import { builder } from './builder.ts';
import { isExact } from './exact-number.ts';

/** Checks a value by the same rule, whether it is JSON or a literal. */
function checked<T>(hint: string, accepts: (value: unknown) => value is T) {
  return (value: unknown, node?: ValueNode): T => {
    if (accepts(value)) return value;
    const nodes = node === undefined ? {} : { nodes: node };
    throw new GraphQLError(hint, { ...nodes, extensions: { code: 'BAD_USER_INPUT' } });
  };
}

/** Checks a result by the rule for inputs. A violation is a bug, not bad input. */
function checkedResult<T>(hint: string, accepts: (value: unknown) => value is T) {
  return (value: T): T => {
    if (accepts(value)) return value;
    throw new TypeError(`Result: ${hint}`);
  };
}

/** The checks of a scalar with the same rule for results and inputs. */
function checkedScalar<T>(hint: string, accepts: (value: unknown) => value is T) {
  return { serialize: checkedResult(hint, accepts), parseValue: checked(hint, accepts) };
}

const RFC_3339 =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Parses a point in time. Undefined if it does not exist, such as on 31 February. */
function toInstant(text: string): Date | undefined {
  const [, day] = RFC_3339.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  const date = new Date(text);
  return isInstant(date) ? date : undefined;
}

builder.scalarType('DateTime', {
  description:
    'A point in time in the format of RFC 3339. Responses contain UTC with milliseconds: `2026-06-01T08:00:00.000Z`. Inputs can have any offset from UTC.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => {
    if (isInstant(value)) return value.toISOString();
    throw new TypeError('Result: a DateTime must be between the years 1 and 9999.');
  },
  parseValue: (value) => {
    const date = typeof value === 'string' ? toInstant(value) : undefined;
    if (date !== undefined) return date;
    throw new GraphQLError(
      'A DateTime must be an RFC 3339 string with a time zone, between the years 1 and 9999, such as "2026-06-01T08:00:00.000Z".',
    );
  },
});

builder.scalarType('Date', {
  description:
    'A calendar date without a time: `2026-11-21`. The field that returns it names the time zone.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date.html',
  ...checkedScalar(
    'A Date must be a day such as "2026-11-21".',
    (value): value is string => typeof value === 'string' && isDay(value),
  ),
});

builder.scalarType('TimeZone', {
  description: 'Name of a time zone in the IANA database: `Europe/Copenhagen`.',
  ...checkedScalar(
    'A TimeZone must be a name from the IANA database, such as "Europe/Copenhagen".',
    (value): value is string => typeof value === 'string' && isTimeZone(value),
  ),
});

builder.scalarType('CurrencyCode', {
  description:
    'ISO 4217 currency code: three upper-case letters. `Query.currencies` lists the known codes. It is not an enum, because the list can grow.',
  ...checkedScalar(
    'A CurrencyCode must be three upper-case letters, such as "EUR".',
    (value): value is string => typeof value === 'string' && isCurrencyCode(value),
  ),
});

const MINOR_UNITS =
  'MinorUnits must be an integer in minor units, such as 995 for 9.95, from -(2^53-1) to 2^53-1.';
const isMinorUnits = (value: unknown): value is number => Number.isSafeInteger(value);
const minorUnits = checked(MINOR_UNITS, isMinorUnits);

builder.scalarType('MinorUnits', {
  description:
    'An amount in minor units of its currency, an integer from -(2^53-1) to 2^53-1: 995 is 9.95 in a currency with two decimals. `Int` has only 32 bits, too few for some amounts.',
  serialize: checkedResult(MINOR_UNITS, isMinorUnits),
  parseValue: (value) => minorUnits(value),
  parseLiteral: (node: ValueNode) =>
    minorUnits(node.kind === Kind.INT ? Number(node.value) : undefined, node),
});

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => {
    visit(node, { IntValue: checkExact, FloatValue: checkExact });
    return valueFromASTUntyped(node, variables);
  },
});

/** JavaScript would silently change a number that it cannot represent. */
function checkExact({ value }: { readonly value: string }): void {
  if (isExact(value)) return;
  throw new GraphQLError(
    `The number ${value.slice(0, 40)} cannot be represented exactly. Send it as a string, or with fewer digits.`,
    { extensions: { code: 'BAD_USER_INPUT' } },
  );
}

const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,99}$/;

/** Whether a string names a time zone. Offsets such as `+01:00` are not names. */
function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns a function that finds the day of an instant, such as `2026-11-21`, in a time zone. */
export function daysIn(timeZone: string): (instant: Date) => string {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone, calendar: 'iso8601', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const year = (parts.get('year') ?? '').padStart(4, '0');
    return `${year}-${parts.get('month')}-${parts.get('day')}`;
  };
}
