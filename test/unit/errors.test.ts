import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { createDoor } from '../../src/gateway/errors.ts';
import { RestError, ShapeError } from '../../src/gateway/rest/rest-error.ts';

function open() {
  const defects: unknown[] = [];
  return { defects, door: createDoor((error) => defects.push(error)) };
}

test('an error of our own making is hidden from the client and told to the operator', () => {
  const { defects, door } = open();
  const bug = new TypeError('secret of the inside');
  const shown = door(new GraphQLError('x', { originalError: bug, path: ['a', 0] }));
  expect(JSON.parse(JSON.stringify(shown))).toEqual({
    message: 'Unexpected error.',
    path: ['a', 0],
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  });
  expect(JSON.parse(JSON.stringify(door('not even an error')))).toMatchObject({
    message: 'Unexpected error.',
  });
  expect(defects).toEqual([bug, 'not even an error']);
});

test('what GraphQL itself says of a query passes as it is', () => {
  const { defects, door } = open();
  const error = new GraphQLError('Cannot query field "x".');
  expect(door(error)).toBe(error);
  expect(defects).toEqual([]);
});

test('a write of unknown outcome says so, a read does not', () => {
  const { door } = open();
  const extensions = (method: string) =>
    (
      door(
        new GraphQLError('', { originalError: new RestError('payments', method, 'timeout') }),
      ) as GraphQLError
    ).extensions;
  expect(extensions('POST')).toEqual({
    code: 'UPSTREAM_TIMEOUT',
    service: 'payments',
    outcome: 'UNKNOWN',
  });
  expect(extensions('GET')).toEqual({ code: 'UPSTREAM_TIMEOUT', service: 'payments' });
});

test('a field that cannot be read is named', () => {
  const { door } = open();
  const error = new ShapeError('amount', false);
  error.service = 'payments';
  expect(door(new GraphQLError('', { originalError: error }))).toMatchObject({
    message: "The service's answer cannot be used: `amount` is not valid.",
    extensions: { code: 'UPSTREAM_BAD_RESPONSE', service: 'payments' },
  });
});
