import { describe, expect, test } from 'vitest';
import { parseEnvFile } from '../../src/settings/env-file.ts';
import { SettingsError } from '../../src/settings/read-settings.ts';

describe('the file `.env`', () => {
  test.each([
    ['names and values', 'A=1\nB=2', { A: '1', B: '2' }],
    ['spaces and `export`', ' A = 1 \n\texport B=2\n', { A: '1', B: '2' }],
    ['the ends of lines of another system', '\uFEFFA=1\r\n\r\nB=2\r\n', { A: '1', B: '2' }],
    ['comments', '# A=1\n\n  # x\nB=2 # y\n#', { B: '2' }],
    ['no value', 'A=\nB=2', { A: '', B: '2' }],
    [
      'values with several lines',
      'A="x\ny=1"\nB=\'1\n2\' # z\nC=3',
      { A: 'x\ny=1', B: '1\n2', C: '3' },
    ],
    ['a single quotation mark', 'A="x\nB=2', { A: '"x', B: '2' }],
    ['nothing', '', {}],
  ])('can have %s', (_what, text, variables) => {
    expect(parseEnvFile(text)).toEqual(variables);
  });

  test('cannot have other lines, and all of them are named', () => {
    const read = () =>
      parseEnvFile('A="\n1"\nNODE_ENV: production\nB=2\n\nsecret\n=3\nC D=4\n1E=5');
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(
      [3, 6, 7, 8, 9]
        .map((line) => `Line ${line} of the file .env must be NAME=value, or begin with "#".`)
        .join('\n'),
    );
  });
});
