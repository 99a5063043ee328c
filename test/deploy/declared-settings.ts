import { gatewayGroups } from '../../src/gateway/settings/settings.ts';
import { sandboxGroups } from '../../src/sandbox/settings.ts';
import { declarationsIn } from '../../src/settings/setting.ts';

/** Every setting of both programs, by name. */
export const declared = new Map(
  [...gatewayGroups, ...sandboxGroups]
    .flatMap(({ settings }) => declarationsIn(settings))
    .map((declaration) => [declaration.name, declaration]),
);

/** The default of a setting with a number, in front of given services. */
export function defaultOf(name: string): number {
  const { default: value, unset } = declared.get(name) ?? {};
  const number = Number(value ?? /^\d+/.exec(unset ?? '')?.[0]);
  if (Number.isNaN(number)) throw new Error(`${name} has no number as its default.`);
  return number;
}

/** How long a gateway may need to stop. */
export const drainMs = defaultOf('DRAIN_DELAY_MS') + defaultOf('DRAIN_MS');
