import type { Declaration } from './setting.ts';

/** Which values are valid, with their unit: "an integer from 1 to 9 (milliseconds)". */
export function validValues({ accepts, unit }: Declaration): string {
  return unit === undefined ? accepts : `${accepts} (${unit})`;
}

/** Everything a user must know about a setting, except its name and default, as paragraphs. */
export function toParagraphs(declaration: Declaration): string[] {
  const { description, unset, secret } = declaration;
  return [
    description,
    `Values: ${validValues(declaration)}.`,
    ...(unset === undefined ? [] : [`If unset: ${unset}.`]),
    ...(secret ? ['Secret.'] : []),
  ];
}

/** What the exit code of a program means. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'The program was stopped with Ctrl-C or SIGTERM, or it printed its help.'],
  [1, 'The program failed, for example to open a port or a database, or got a second signal.'],
  [2, 'Settings are invalid. The program reports all of them at once and does not start.'],
];

/** How to set the settings of a program, as sentences of Markdown. */
export const HOW_TO_SET: readonly string[] = [
  'Every setting is an environment variable.',
  'The programs also read variables from the file `.env` in the current directory, if it exists. Variables that are already set take precedence.',
  'A blank value counts as unset.',
];

const WIDTH = 80;

/** Breaks text into lines of up to 80 characters, each with a prefix. */
export function wrap(text: string, prefix: string): string[] {
  const lines: string[] = [];
  let line = prefix;
  for (const word of text.split(' ')) {
    if (line !== prefix && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = prefix;
    }
    line += line === prefix ? word : ` ${word}`;
  }
  return [...lines, line];
}
