import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped, visit } from 'graphql';
import { builder } from './builder.ts';
import { isExact } from './exact-number.ts';
import { isTimeZone } from './time-zone.ts';

const CURRENCY = /^[A-Z]{3}$/;

/** Checks a value by one rule, whether it comes as JSON or as a literal. */
function checked<T>(hint: string, accepts: (value: unknown) => value is T) {
  return (value: unknown, node?: ValueNode): T => {
    if (accepts(value)) return value;
    const nodes = node === undefined ? {} : { nodes: node };
    throw new GraphQLError(hint, { ...nodes, extensions: { code: 'BAD_USER_INPUT' } });
  };
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** The point in time that a text names. Undefined if there is none, such as on 31 February. */
function toInstant(text: string): Date | undefined {
  const [, day] = RFC_3339.exec(text) ?? [];
  const date = new Date(text);
  // JavaScript takes 31 February for 3 March.
  if (day === undefined || Number.isNaN(date.getTime()) || !isDay(day)) return undefined;
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date : undefined;
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

builder.scalarType('DateTime', {
  description:
    'A point in time in the format of RFC 3339. Responses contain UTC with milliseconds: `2026-06-01T08:00:00.000Z`. Inputs can have any offset from UTC.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => {
    const date = typeof value === 'string' ? toInstant(value) : undefined;
    if (date !== undefined) return date;
    throw new GraphQLError(
      'A DateTime must be RFC 3339 text with a time zone, between the years 1 and 9999, such as "2026-06-01T08:00:00.000Z".',
    );
  },
});

const DATE = /^\d{4}-\d{2}-\d{2}$/;

builder.scalarType('Date', {
  description:
    'A calendar date without a time: `2026-11-21`. The field that returns it names the time zone.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date.html',
  serialize: (value) => value,
  parseValue: checked(
    'A Date must be a day such as "2026-11-21".',
    (value): value is string => typeof value === 'string' && DATE.test(value),
  ),
});

builder.scalarType('TimeZone', {
  description: 'Name of a time zone in the IANA database: `Europe/Copenhagen`.',
  serialize: (value) => value,
  parseValue: checked(
    'A TimeZone must be a name of the IANA database, such as "Europe/Copenhagen".',
    (value): value is string => typeof value === 'string' && isTimeZone(value),
  ),
});

const currencyCode = checked(
  'A CurrencyCode must be three upper-case letters, such as "EUR".',
  (value): value is string => typeof value === 'string' && CURRENCY.test(value),
);

builder.scalarType('CurrencyCode', {
  description:
    'ISO 4217 currency code: three upper-case letters. `Query.currencies` lists the known codes. The type is not an enum, because the list can grow.',
  serialize: (value) => value,
  parseValue: currencyCode,
});

const minorUnits = checked(
  'MinorUnits must be an integer in minor units, such as 995 for 9.95, from -(2^53-1) to 2^53-1.',
  (value): value is number => Number.isSafeInteger(value),
);

builder.scalarType('MinorUnits', {
  description:
    'An amount in minor units of its currency, an integer from -(2^53-1) to 2^53-1: 995 is 9.95 in a currency with two decimals. `Int` has only 32 bits, which is too small for some amounts.',
  serialize: (value) => minorUnits(value),
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

/** JavaScript would silently replace a number that it cannot represent. */
function checkExact({ value }: { readonly value: string }): void {
  if (isExact(value)) return;
  throw new GraphQLError(
    `The number ${value.slice(0, 40)} cannot be represented exactly. Send it as text, or with fewer digits.`,
    { extensions: { code: 'BAD_USER_INPUT' } },
  );
}
