import { z } from 'zod';
import type { Rule } from '../settings/rule.ts';
import { optionalSetting, setting } from '../settings/setting.ts';
import { oneOf, text } from '../settings/value-types.ts';

const persisted = z.object({
  mode: setting('PERSISTED_DOCUMENTS', oneOf('off', 'prefer', 'only', 'report'), {
    default: 'off',
    description:
      'Which documents clients may send: `off`: texts only. `prefer`: texts, and the ids of known documents. `only`: known documents only. `report`: the same as `prefer`, and the log line of each request shows what `only` would reject.',
  }),
  path: optionalSetting('PERSISTED_DOCUMENTS_PATH', text, {
    unset: 'no document is known; required if `PERSISTED_DOCUMENTS` is not `off`',
    description:
      'File or folder with the known documents. The gateway reads it when it starts, and again at the signal SIGHUP.',
  }),
});

/** Which documents clients may send. */
export const persistedSettings = { persisted };

/** Without a path, no document is known. */
export const persistedDocumentsNeedPath: Rule<z.ZodObject<typeof persistedSettings>> = {
  reads: [['persisted']],
  check: ({ persisted: { mode, path } }) =>
    mode !== 'off' && path === undefined
      ? `PERSISTED_DOCUMENTS=${mode} also needs PERSISTED_DOCUMENTS_PATH.`
      : undefined,
};
