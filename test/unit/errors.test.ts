import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { createMaskError } from '../../src/gateway/execution/errors.ts';
import { RestError, ShapeError } from '../../src/gateway/upstream/rest-error.ts';

function setUp() {
  const bugs: unknown[] = [];
  const maskError = createMaskError((error) => bugs.push(error));
  const mask = (originalError: Error) => maskError(new GraphQLError('', { originalError }));
  return { bugs, maskError, mask };
}

test('a bug is hidden from the client and reported to the operator', () => {
  const { bugs, maskError } = setUp();
  const bug = new TypeError('internal detail');
  const masked = maskError(new GraphQLError('x', { originalError: bug, path: ['a', 0] }));
  expect(JSON.parse(JSON.stringify(masked))).toEqual({
    message: 'Unexpected error.',
    path: ['a', 0],
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  });
  expect(JSON.parse(JSON.stringify(maskError('not even an error')))).toMatchObject({
    message: 'Unexpected error.',
  });
  expect(bugs).toEqual([bug, 'not even an error']);
});

test('an error of GraphQL itself keeps its code, and gets one if it has none', () => {
  const { bugs, maskError } = setUp();
  const coded = new GraphQLError('too deep', { extensions: { code: 'DEPTH_LIMIT' } });
  expect(maskError(coded)).toBe(coded);
  const { message, extensions } = maskError(
    new GraphQLError('Variable "$x" is missing.'),
  ) as GraphQLError;
  expect({ message, extensions }).toEqual({
    message: 'Variable "$x" is missing.',
    extensions: { code: 'BAD_USER_INPUT' },
  });
  expect(bugs).toEqual([]);
});

test('a write with an unknown outcome says so, a read does not', () => {
  const { mask } = setUp();
  const extensions = { code: 'UPSTREAM_TIMEOUT', service: 'payments' };
  const message = 'The payments service did not respond in time.';
  expect(JSON.parse(JSON.stringify(mask(new RestError('payments', 'POST', 'timeout'))))).toEqual({
    message: `${message} The change may or may not have been made: check before you try again.`,
    extensions: { ...extensions, outcome: 'UNKNOWN' },
  });
  expect(JSON.parse(JSON.stringify(mask(new RestError('payments', 'GET', 'timeout'))))).toEqual({
    message,
    extensions,
  });
});

test('a field that cannot be read is named', () => {
  const { mask } = setUp();
  const error = new ShapeError('amount', false);
  error.service = 'payments';
  expect(mask(error)).toMatchObject({
    message: 'The service returned an invalid response: `amount` is not valid.',
    extensions: { code: 'UPSTREAM_BAD_RESPONSE', service: 'payments' },
  });
});
