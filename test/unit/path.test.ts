import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidIdError, path, routeOf } from '../../src/gateway/upstream/path.ts';

const LONGEST = 'x'.repeat(128);

describe('a path', () => {
  test('contains the text of the template and every id in its place', () => {
    const [merchant, id] = ['mer-1', 'LINE_2'];
    expect(path`/lines`).toBe('/lines');
    expect(path`/lines/${id}`).toBe('/lines/LINE_2');
    expect(path`/merchants/${merchant}/lines/${id}/captures`).toBe(
      '/merchants/mer-1/lines/LINE_2/captures',
    );
    expect(path`${id}${merchant}`).toBe('LINE_2mer-1');
  });

  test.each(['a', 'Z', '0', '-', '_', LONGEST])('may contain the id %s', (id) => {
    expect(path`/lines/${id}`).toBe(`/lines/${id}`);
  });

  test.each([
    '',
    '.',
    '..',
    'a.b',
    'a/b',
    'a\\b',
    '%2e%2e',
    'a?b',
    'a#b',
    'a b',
    ' a',
    'a ',
    'a\n',
    '\na',
    'é',
    `${LONGEST}x`,
  ])('never contains the id %j', (id) => {
    const error = new InvalidIdError();
    expect(() => path`/lines/${id}`).toThrow(error);
    expect(() => path`/merchants/m/${'good'}/${id}`).toThrow(error);
    expect(() => path`/merchants/${id}/lines/${'good'}`).toThrow(error);
  });

  test('addresses the resource of its ids, or is rejected', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string({ minLength: 1, unit: fc.constantFrom(...'aZ9_-./%') }),
        (one, two) => {
          let built: string;
          try {
            built = path`/a/${one}/b/${two}`;
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidIdError);
            return;
          }
          const { pathname, search, hash } = new URL(built, 'http://service');
          expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'a', one, 'b', two]);
          expect(search + hash).toBe('');
        },
      ),
    );
  });
});

test('the error of an invalid id states the form of an id', () => {
  expect(new InvalidIdError().message).toBe('An id has 1 to 128 letters, digits, `-` or `_`.');
});

describe('the route of a path', () => {
  test('has the text of the template, and no id and no query', () => {
    const [merchant, id] = ['mer-1', 'LINE_2'];
    expect(routeOf(path`/inventions`)).toBe('/inventions');
    expect(
      routeOf(`${path`/inventions/${merchant}/parts/${id}/pieces`}?name=secret\nand/more`),
    ).toBe('/inventions/:id/parts/:id/pieces');
    expect(routeOf(path`/inventions/${merchant}/${id}`)).toBe('/inventions/:id/:id');
  });

  test('is that with the fewest ids, if several templates have its form', () => {
    const id = 'now';
    for (const built of [path`/drafts/${id}`, path`/drafts/now`, path`/drafts/${id}`]) {
      expect(routeOf(built)).toBe('/drafts/now');
    }
  });

  test.each(['/nowhere', '/inventions/', 'inventions', '', '/inventions/a/b/c/d/e/f'])(
    'is undefined for %j, which no template has built',
    (text) => {
      expect(routeOf(text)).toBeUndefined();
    },
  );
});
