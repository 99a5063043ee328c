import { z } from 'zod';
import { dataDir, postgresUrl } from '../database/settings.ts';
import { type EnvironmentVariables, readSettings } from '../settings/read-settings.ts';
import { addRules, type Rule } from '../settings/rule.ts';
import { nameOf, optionalSetting, type SettingsGroup, setting } from '../settings/setting.ts';
import {
  appKey,
  oneOf,
  only,
  port,
  text,
  urlWithScheme,
  type ValueType,
} from '../settings/value-types.ts';

const portOrOff: ValueType<number | 'off'> = {
  accepts: `${port.accepts}, or "off"`,
  schema: z.union([z.literal('off'), port.schema]),
  mayShowValue: true,
};

const declared = z.object({
  usersPort: setting('SANDBOX_USERS_PORT', port, {
    default: 2_223,
    description: 'Port of the user-records service. 0 picks a free port.',
  }),
  paymentsPort: setting('SANDBOX_PAYMENTS_PORT', port, {
    default: 2_224,
    description: 'Port of the payments service. 0 picks a free port.',
  }),
  posPort: setting('SANDBOX_POS_PORT', port, {
    default: 2_225,
    description: 'Port of the payment page. 0 picks a free port.',
  }),
  controlPort: optionalSetting('SANDBOX_CONTROL_PORT', portOrOff, {
    unset: 'the port after `SANDBOX_POS_PORT` with `npm start`, otherwise no control interface',
    description:
      'Port of the control interface, where you can make the sandbox slow or faulty, move its clock and replace its records. 0 picks a free port; `off` turns it off.',
  }),
  host: setting('SANDBOX_HOST', text, {
    default: '127.0.0.1',
    description: 'Address that the payments service and the payment page listen on.',
  }),
  usersHost: setting('SANDBOX_USERS_HOST', text, {
    default: '127.0.0.1',
    description:
      'Address that the user-records service listens on. This service has no access control: anyone who can reach it can read and change all user records.',
  }),
  controlHost: setting('SANDBOX_CONTROL_HOST', text, {
    default: '127.0.0.1',
    description:
      'Address that the control interface listens on. It has no access control and shows the demo key.',
  }),
  seed: setting('SANDBOX_SEED', oneOf('demo', 'empty'), {
    default: 'demo',
    description: 'Initial contents of a new sandbox: the demo data, or only the demo app.',
  }),
  logRequests: setting('LOG', only('requests'), {
    default: '',
    description:
      'With `requests`, the sandbox prints a line for each request to the services. `npm run sandbox` always does.',
  }),
  demoKey: optionalSetting('SANDBOX_DEMO_KEY', appKey, {
    secret: true,
    unset: 'a key is generated at the first start and stored',
    description: 'App key of the demo app. The startup output shows it.',
  }),
  smtpUrl: optionalSetting('SMTP_URL', urlWithScheme('smtp', 'smtps'), {
    secret: true,
    unset: 'the sandbox stores invitations, and the control interface lists them',
    description: 'Mail server for invitations to new members.',
  }),
  databaseUrl: optionalSetting('SANDBOX_DATABASE_URL', postgresUrl, {
    secret: true,
    unset: 'an embedded database in `DATA_DIR`',
    description: 'PostgreSQL database of the sandbox. Takes precedence over `DATA_DIR`.',
  }),
  dataDir,
});

/** All settings of the sandbox, in the shape that `startSandbox` takes. */
export const sandboxSettings = addRules(declared, [
  mustDiffer('usersPort', 'paymentsPort'),
  mustDiffer('usersPort', 'posPort'),
  mustDiffer('paymentsPort', 'posPort'),
  mustDiffer('usersPort', 'controlPort'),
  mustDiffer('paymentsPort', 'controlPort'),
  mustDiffer('posPort', 'controlPort'),
]);

/** The same settings, as the documentation groups them. */
export const sandboxGroups: readonly SettingsGroup[] = [
  {
    title: 'Sandbox',
    introduction:
      'The local implementation of both services. `npm start` starts it if no service URL is set; `npm run sandbox` starts it without the gateway.',
    settings: sandboxSettings,
  },
];

/** Values of all settings of the sandbox. */
export type SandboxSettings = z.output<typeof sandboxSettings>;

/** Reads the settings of the sandbox. Throws a `SettingsError`. */
export function readSandboxSettings(env: EnvironmentVariables): SandboxSettings {
  return readSettings(sandboxSettings, env);
}

type Port = 'usersPort' | 'paymentsPort' | 'posPort' | 'controlPort';

/** Two servers cannot share a port, but 0 is a different port each time. */
function mustDiffer(one: Port, other: Port): Rule<typeof declared> {
  return {
    reads: [[one], [other]],
    check: (values) =>
      values[one] !== 0 && values[one] === values[other]
        ? `${nameOf(declared, one)} and ${nameOf(declared, other)} must differ; both were ${values[one]}.`
        : undefined,
  };
}
