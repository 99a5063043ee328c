import type { z } from 'zod';

/** A rule between several settings. */
export interface Rule<Settings extends z.ZodObject> {
  /** The settings that the rule reads, as keys from the object. It is skipped if one is invalid. */
  readonly reads: readonly Path[];
  /** Returns the complaint, a sentence, or undefined if the values satisfy the rule. */
  readonly check: (values: z.output<Settings>) => string | undefined;
}

type Path = readonly string[];

/**
 * Adds rules to an object of settings. A rule is checked even if settings that it does not
 * read are invalid, so that all problems are reported at once.
 */
export function addRules<Settings extends z.ZodObject>(
  settings: Settings,
  rules: readonly Rule<Settings>[],
): Settings {
  return rules.reduce(addRule, settings);
}

function addRule<Settings extends z.ZodObject>(
  settings: Settings,
  { reads, check }: Rule<Settings>,
): Settings {
  return settings.superRefine(
    (values, context) => {
      const message = check(values);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    },
    {
      when: ({ issues }) =>
        !issues.some(({ path = [] }) => reads.some((start) => startsWith(path, start))),
    },
  );
}

function startsWith(path: readonly PropertyKey[], start: Path): boolean {
  return start.every((key, index) => path[index] === key);
}
