import type { z } from 'zod';
import { declarationsIn, membersOf } from './setting.ts';

/** The environment of a process: text by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Thrown when settings are invalid. Has one complaint, a sentence, for each of them. */
export class SettingsError extends Error {
  readonly complaints: readonly string[];

  constructor(complaints: readonly string[]) {
    super(complaints.join('\n'));
    this.name = 'SettingsError';
    this.complaints = complaints;
  }
}

/**
 * Reads an object of settings from the environment. A blank value counts as unset. Throws one
 * {@link SettingsError} that reports all problems.
 */
export function readSettings<Settings extends z.ZodObject>(
  settings: Settings,
  env: EnvironmentVariables,
): z.output<Settings> {
  const result = settings.safeParse(inputOf(settings, env));
  if (result.success) return result.data;
  const complaints = result.error.issues.map((issue) => toComplaint(settings, issue, env));
  // Without duplicates: a setting that two programs share would be reported by both.
  throw new SettingsError([...new Set(complaints)]);
}

function textOf(name: string, env: EnvironmentVariables): string | undefined {
  return env[name]?.trim() || undefined;
}

/** The texts of an object of settings, in its shape. Unset settings are left out. */
function inputOf(settings: z.ZodObject, env: EnvironmentVariables): object {
  const input: Record<string, unknown> = {};
  for (const member of membersOf(settings)) {
    if (member.kind === 'setting') {
      const value = textOf(member.declaration.name, env);
      if (value !== undefined) input[member.key] = value;
    } else {
      const values = inputOf(member.settings, env);
      if (!member.allOrNone || Object.keys(values).length > 0) input[member.key] = values;
    }
  }
  return input;
}

interface Issue {
  /** Leads to a setting, or to the object whose rule is broken. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function toComplaint(
  settings: z.ZodObject,
  { path, message }: Issue,
  env: EnvironmentVariables,
): string {
  const [key, ...rest] = path;
  const member = membersOf(settings).find((candidate) => candidate.key === key);
  if (member === undefined) return message;
  if (member.kind === 'object') return toComplaint(member.settings, { path: rest, message }, env);
  const { name, accepts, mayShowValue, unset } = member.declaration;
  const value = textOf(name, env);
  if (value === undefined) {
    const names = inWords(declarationsIn(settings).map((declaration) => declaration.name));
    return `${name} is not set. Set ${names} together. If none of them are set, ${unset}.`;
  }
  return `${name} must be ${accepts}${mayShowValue ? `; it was ${JSON.stringify(value)}` : ''}.`;
}

function inWords(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
