import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCursor, toCursor } from '../../src/gateway/schema/paging.ts';

/** Any text in the encoding of a cursor. */
function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

const LONGEST = 'x'.repeat(128);

describe('a cursor', () => {
  test('contains a version, the kind and the raw id', () => {
    expect(toCursor('txn', 'a_B-9')).toBe('MTp0eG46YV9CLTk');
    expect(Buffer.from('MTp0eG46YV9CLTk', 'base64url').toString()).toBe('1:txn:a_B-9');
  });

  test.each(['a', '0', '-', '_', LONGEST])('of the id %s is read as this id', (id) => {
    expect(readCursor('txn', toCursor('txn', id), 'after')).toBe(id);
  });

  test('is read as the id that it was made from', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{3}$/),
        fc.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
        (kind, id) => readCursor(kind, toCursor(kind, id), 'after') === id,
      ),
    );
  });

  test.each([null, undefined, ''])('that is %j counts as absent', (cursor) => {
    expect(readCursor('txn', cursor, 'after')).toBeUndefined();
  });
});

describe('an argument that is not a cursor', () => {
  test.each([
    ['no encoding', '1:txn:id'],
    ['no text', encoded('x')],
    ['another version', encoded('2:txn:id')],
    ['text before the version', encoded('11:txn:id')],
    ['no kind', encoded('1::id')],
    ['a kind of two letters', encoded('1:tx:id')],
    ['a kind of four letters', encoded('1:txns:id')],
    ['a kind in upper case', encoded('1:TXN:id')],
    ['no id', encoded('1:txn:')],
    ['an id that is too long', encoded(`1:txn:${LONGEST}x`)],
    ['an id that leads elsewhere', encoded('1:txn:../me')],
    ['an id with a letter outside ASCII', encoded('1:txn:é')],
    ['text after the id', encoded('1:txn:id:')],
    ['a line feed after the id', encoded('1:txn:id\n')],
    ['padding', `${encoded('1:txn:id')}=`],
    ['a character outside base64url', `${encoded('1:txn:id')}!`],
    ['the characters of base64', encoded('1:txn:~~~').replaceAll('_', '/')],
  ])('has %s and is rejected', (_, cursor) => {
    expect(() => readCursor('txn', cursor, 'before')).toThrow(
      expect.objectContaining({
        message: '`before` is not a cursor. Use a cursor from `pageInfo` or `edges`.',
        extensions: { code: 'BAD_USER_INPUT', argument: 'before' },
      }),
    );
  });

  test('is never read', () => {
    const anyCursor = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.string({ minLength: 1 }).map(encoded),
      fc.string().map((id) => encoded(`1:txn:${id}`)),
    );
    fc.assert(
      fc.property(anyCursor, (cursor) => {
        let id: string | undefined;
        try {
          id = readCursor('txn', cursor, 'after');
        } catch {
          return;
        }
        expect(cursor).toBe(encoded(`1:txn:${id}`));
        expect(id).toMatch(/^[\w-]{1,128}$/);
      }),
    );
  });
});

test('a cursor of another list is rejected', () => {
  expect(() => readCursor('txn', toCursor('lin', 'id'), 'after')).toThrow(
    expect.objectContaining({
      message: '`after` is a cursor of another list.',
      extensions: { code: 'BAD_USER_INPUT', argument: 'after' },
    }),
  );
});
