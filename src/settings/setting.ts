import { z } from 'zod';
import type { ValueType } from './value-types.ts';

/** What a declaration states about a setting besides the type of its value. */
export interface About {
  /** User documentation: one or more sentences. */
  readonly description: string;
  readonly unit?: 'milliseconds' | 'bytes' | 'days';
  /** What happens while the setting is unset, as a phrase: "no limit". */
  readonly unset?: string;
  /** The value is a key, or a URL that can contain a password. Error messages never show it. */
  readonly secret?: true;
}

/** A declared setting, as the parser and the printers see it. */
export interface Declaration extends About {
  /** The environment variable. */
  readonly name: string;
  /** Which values are valid, as a phrase that follows "must be": "an integer from 1 to 9". */
  readonly accepts: string;
  /** Whether an error message may show an invalid value. */
  readonly mayShowValue: boolean;
  /** Left out if the setting has no default. */
  readonly default?: string | number;
}

/** Settings that belong together in the documentation. */
export interface SettingsGroup {
  readonly title: string;
  /** One or more sentences that precede the settings. */
  readonly introduction: string;
  readonly settings: z.ZodObject;
}

const declarations = z.registry<Declaration>();

/** Declares a setting with a default. */
export function setting<T>(
  name: string,
  type: ValueType<T>,
  about: About & { readonly default: string | number },
) {
  return declare(type.schema.prefault(String(about.default)), name, type, about);
}

/** Declares a setting that may stay unset. Its key is then left out. */
export function optionalSetting<T>(
  name: string,
  type: ValueType<T>,
  about: About & { readonly unset: string },
) {
  return declare(type.schema.exactOptional(), name, type, about);
}

/** Declares a setting of a group that is set completely or not at all: see {@link allOrNone}. */
export function requiredSetting<T>(
  name: string,
  type: ValueType<T>,
  about: About & { readonly unset: string },
) {
  // A clone, because several settings can have the same type.
  return declare(type.schema.clone(), name, type, about);
}

/** Makes an object of required settings optional: either all of them are set, or none. */
export function allOrNone<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.object(shape).exactOptional();
}

/** A value that no setting changes. Tests start a gateway with another value. */
export function constant<T>(value: T) {
  return z.custom<T>().default(value as z.core.util.NoUndefined<T>);
}

function declare<Schema extends z.ZodType>(
  schema: Schema,
  name: string,
  { accepts, mayShowValue }: ValueType<unknown>,
  about: About & { readonly default?: string | number },
): Schema {
  declarations.add(schema, {
    ...about,
    name,
    accepts,
    mayShowValue: mayShowValue && about.secret !== true,
  });
  return schema;
}

/** The environment variable of a setting that is a direct member of an object of settings. */
export function nameOf<Settings extends z.ZodObject>(
  settings: Settings,
  key: keyof Settings['shape'] & string,
): string {
  const schema = settings.shape[key];
  const declaration = schema && declarations.get(schema);
  if (declaration === undefined) throw new TypeError(`"${key}" is not a declared setting.`);
  return declaration.name;
}

/** A member of an object of settings: a declared setting, or an object of settings. */
export type Member =
  | {
      readonly kind: 'setting';
      readonly key: string;
      readonly declaration: Declaration;
      readonly schema: z.core.$ZodType;
    }
  | {
      readonly kind: 'object';
      readonly key: string;
      readonly settings: z.ZodObject;
      readonly allOrNone: boolean;
    };

/** The members of an object of settings, in the order of their declaration. */
export function membersOf(settings: z.ZodObject): Member[] {
  return Object.entries(settings.shape).flatMap(([key, schema]): Member | [] => {
    if (schema instanceof z.ZodDefault) return [];
    const declaration = declarations.get(schema);
    if (declaration !== undefined) return { kind: 'setting', key, declaration, schema };
    const allOrNone = schema instanceof z.ZodExactOptional;
    const inner = allOrNone ? schema.unwrap() : schema;
    if (inner instanceof z.ZodObject) return { kind: 'object', key, settings: inner, allOrNone };
    throw new TypeError(`"${key}" is neither a declared setting nor an object of settings.`);
  });
}

/** Every setting in an object of settings, in the order of declaration. */
export function declarationsIn(settings: z.ZodObject): Declaration[] {
  return membersOf(settings).flatMap((member) =>
    member.kind === 'setting' ? [member.declaration] : declarationsIn(member.settings),
  );
}
