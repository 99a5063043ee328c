import { z } from 'zod';
import { toParagraphs } from './sentences.ts';
import { type Declaration, declarationsIn, membersOf, type SettingsGroup } from './setting.ts';

/**
 * Prints a JSON Schema of an object that has a property for every setting that is set.
 * Numbers are numbers there, not text. Rules between settings are not part of it, except
 * that some are set together.
 */
export function printJsonSchema(title: string, groups: readonly SettingsGroup[]): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    description:
      'The environment variables that configure Tillgraph. Numbers are typed as integers here; in the environment they are text.',
    type: 'object',
    properties: Object.assign({}, ...groups.map(({ settings }) => propertiesOf(settings))),
    dependentRequired: Object.assign({}, ...groups.map(({ settings }) => dependenciesIn(settings))),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function propertiesOf(settings: z.ZodObject): Record<string, object> {
  return Object.assign(
    {},
    ...membersOf(settings).map((member) =>
      member.kind === 'object'
        ? propertiesOf(member.settings)
        : { [member.declaration.name]: toProperty(member.schema, member.declaration) },
    ),
  );
}

function toProperty(type: z.core.$ZodType, declaration: Declaration): object {
  const { $schema, ...schema } = z.toJSONSchema(type, { io: 'input' });
  return {
    description: toParagraphs(declaration).join(' '),
    ...schema,
    ...(declaration.default === undefined ? {} : { default: declaration.default }),
    ...(declaration.secret ? { writeOnly: true } : {}),
  };
}

/** For each setting that is set together with others: those others. */
function dependenciesIn(settings: z.ZodObject): Record<string, string[]> {
  return Object.assign(
    {},
    ...membersOf(settings).map((member) => {
      if (member.kind === 'setting') return {};
      if (!member.allOrNone) return dependenciesIn(member.settings);
      const names = declarationsIn(member.settings).map(({ name }) => name);
      return Object.fromEntries(names.map((name) => [name, names.filter((n) => n !== name)]));
    }),
  );
}
