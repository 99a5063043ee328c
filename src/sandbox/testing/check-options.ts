import { z } from 'zod';
import { appKey } from '../../settings/value-types.ts';
import { problem } from '../control/problem.ts';
import type { StartOptions } from './start.ts';

const options = z.strictObject({
  seed: z.enum(['demo', 'empty']).optional(),
  data: z.string().min(1).optional(),
  demoKey: appKey.schema.optional(),
  gateway: z.boolean().optional(),
  log: z.custom((value) => typeof value === 'function', 'Must be a function').optional(),
});

/** Returns the options. Throws an error that names what is wrong: tests may be plain JavaScript. */
export function checkOptions(given: StartOptions): StartOptions {
  const { success, error } = options.safeParse(given, { error: problem });
  if (success) return given;
  const problems = error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return `there is no option ${quoted(issue.keys)}`;
    if (issue.path[0] === 'demoKey') return `\`demoKey\`: Must be ${appKey.accepts}`;
    if (issue.path.length === 0) return 'the options must be an object';
    return `\`${issue.path.join('.')}\`: ${issue.message}`;
  });
  throw new TypeError(`startSandbox: ${problems.join('; ')}.`);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
