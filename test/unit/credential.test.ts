import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCredential, shareSalt } from '../../src/gateway/access/credential.ts';

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

const LONGEST = 'k'.repeat(200);

describe('the key of a caller', () => {
  test.each([
    ['Bearer secret', 'secret'],
    ['bearer secret', 'secret'],
    ['BEARER   secret', 'secret'],
    ['Bearer !', '!'],
    ['Bearer ~', '~'],
    ['Bearer :colons:=', ':colons:='],
    [`Bearer ${LONGEST}`, LONGEST],
    ['Basic OnNlY3JldA==', 'secret'],
    ['basic   OnNlY3JldA==', 'secret'],
    ['Basic OnNlY3JldA', 'secret'], // without padding
    ['Basic OmFi', 'ab'], // needs no padding
    ['Basic OmE=', 'a'],
    [`Basic ${base64(':a:b')}`, 'a:b'],
    [`Basic ${base64(':?~>')}`, '?~>'], // the encoding contains +, / or both
    [`Basic ${base64(`:${LONGEST}`)}`, LONGEST],
  ])('in %j is forwarded as Basic', (header, key) => {
    expect(readCredential(header)).toEqual({
      authorization: `Basic ${base64(`:${key}`)}`,
      digest: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    });
  });

  test('is the same in both schemes', () => {
    const anyKey = fc.stringMatching(/^[!-~]{1,200}$/);
    fc.assert(
      fc.property(anyKey, (key) => {
        const bearer = readCredential(`Bearer ${key}`);
        expect(bearer?.authorization).toBe(`Basic ${base64(`:${key}`)}`);
        expect(readCredential(bearer?.authorization)).toEqual(bearer);
      }),
    );
  });

  test('has a digest that differs from those of other keys and is salted', () => {
    const digestOf = (key: string) => readCredential(`Bearer ${key}`)?.digest;
    expect(digestOf('one')).toBe(digestOf('one'));
    expect(digestOf('one')).not.toBe(digestOf('two'));
    expect(digestOf('one')).not.toBe(createHash('sha256').update('one').digest('base64'));
  });

  test('has the same digest in processes that share the salt, and in no others', () => {
    const digestWith = (fill: number) => {
      shareSalt(new Uint8Array(32).fill(fill));
      return readCredential('Bearer secret')?.digest;
    };
    const digest = digestWith(1);
    expect(digestWith(2)).not.toBe(digest);
    expect(digestWith(1)).toBe(digest);
  });
});

describe('no credential', () => {
  test.each([
    null,
    undefined,
    '',
    'secret',
    'Bearer',
    'Bearer ',
    'Bearersecret',
    ' Bearer secret',
    'XBearer secret',
    'Bearer secret ',
    'Bearer two words',
    'Bearer\tsecret',
    'Bearer sécret',
    'Bearer secret\n',
    'Bearer \x7f',
    `Bearer ${LONGEST}k`,
    'Digest secret',
    'Basic',
    'Basic ',
    'BasicOnNlY3JldA==',
    ' Basic OnNlY3JldA==',
    'Basic OnNlY3JldA== ',
    'Basic OnNlY3JldA===',
    'Basic OnNl=Y3JldA',
    'Basic OnNl-Y3JldA==',
    'Basic OnNlY3JldA==OnNl',
    'Basic ==',
    'Basic secret',
    `Basic ${base64('')}`,
    `Basic ${base64(':')}`,
    `Basic ${base64('secret')}`,
    `Basic ${base64('user:secret')}`,
    `Basic ${base64(':two words')}`,
    `Basic ${base64(':sécret')}`,
    `Basic ${base64(':secret\n')}`,
    `Basic ${base64(`:${LONGEST}k`)}`,
  ])('is in %j', (header) => {
    expect(readCredential(header)).toBeUndefined();
  });

  test('is in a header with a character that is not visible ASCII', () => {
    const visible = fc.stringMatching(/^[!-~]{1,9}$/);
    const other = fc.oneof(
      fc.integer({ min: 0, max: 0x20 }),
      fc.integer({ min: 0x7f, max: 0xffff }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('Bearer', 'Basic'),
        visible,
        other,
        visible,
        (scheme, a, b, c) => {
          const header = `${scheme} ${a}${String.fromCharCode(b)}${c}`;
          expect(readCredential(header)).toBeUndefined();
        },
      ),
    );
  });
});
