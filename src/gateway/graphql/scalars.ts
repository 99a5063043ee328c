import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { builder } from './builder.ts';

const CURRENCY = /^[A-Z]{3}$/;

/** A value that came in as JSON or as a literal, checked by the same rule. */
function checked<T>(hint: string, accepts: (value: unknown) => value is T) {
  return (value: unknown): T => {
    if (accepts(value)) return value;
    throw new GraphQLError(hint, { extensions: { code: 'BAD_USER_INPUT' } });
  };
}

builder.scalarType('DateTime', {
  description: 'An instant: RFC 3339, UTC with `Z`, millisecond precision.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => {
    const date = new Date(typeof value === 'string' ? value : Number.NaN);
    if (!Number.isNaN(date.getTime())) return date;
    throw new GraphQLError('A DateTime is an RFC 3339 text, such as "2026-06-01T08:00:00.000Z".');
  },
});

const currencyCode = checked(
  'A CurrencyCode is three upper-case letters, such as "EUR".',
  (value): value is string => typeof value === 'string' && CURRENCY.test(value),
);

builder.scalarType('CurrencyCode', {
  description:
    'Three upper-case letters, ISO 4217. Not an enum: the list is published elsewhere and grows; `Query.currencies` shows it.',
  serialize: (value) => value,
  parseValue: currencyCode,
});

const minorUnits = checked(
  'MinorUnits is an integer from -(2^53-1) to 2^53-1, such as 995 for 9.95.',
  (value): value is number => Number.isSafeInteger(value),
);

builder.scalarType('MinorUnits', {
  description:
    'An amount in minor units of its currency, as an integer from -(2^53-1) to 2^53-1: 995 is 9.95 in a currency with two decimals. `Int` has 32 bits, which is too few for money.',
  serialize: minorUnits,
  parseValue: minorUnits,
  parseLiteral: (node: ValueNode) =>
    minorUnits(node.kind === Kind.INT ? Number(node.value) : undefined),
});

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
});
