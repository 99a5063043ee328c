import { SettingsError } from './read-settings.ts';
import { EXIT_CODES, HOW_TO_SET, toParagraphs, wrap } from './sentences.ts';
import { declarationsIn, type SettingsGroup } from './setting.ts';

/**
 * Prints the help of a program.
 *
 * @param usage how the program is started: `npm start [-- --help]`
 * @param purpose what it does, in a sentence
 */
export function printHelp(
  usage: string,
  purpose: string,
  groups: readonly SettingsGroup[],
): string {
  const lines = [
    `Usage: ${usage}`,
    '',
    ...wrap(purpose, ''),
    '',
    ...wrap(HOW_TO_SET.join(' '), ''),
  ];
  for (const { title, introduction, settings } of groups) {
    lines.push('', `${title}:`, ...wrap(introduction, ''));
    for (const declaration of declarationsIn(settings)) {
      const { name, default: value = '' } = declaration;
      lines.push('', value === '' ? `  ${name}` : `  ${name}=${value}`);
      lines.push(...toParagraphs(declaration).flatMap((paragraph) => wrap(paragraph, '      ')));
    }
  }
  lines.push('', 'Exit codes:', ...EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`));
  return lines.join('\n');
}

/** Whether the arguments of a program ask for its help. */
export function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h');
}

/** Throws a {@link SettingsError} if a program has any arguments. */
export function rejectArguments(command: string, [first]: readonly string[]): void {
  if (first === undefined) return;
  throw new SettingsError([
    `${command} does not take arguments such as "${first}". Settings are environment variables, such as PORT=4001. \`${command} -- --help\` lists them.`,
  ]);
}
