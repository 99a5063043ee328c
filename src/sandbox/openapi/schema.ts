/** A JSON Schema (2020-12), or a piece of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** An object with exactly these properties, as the sandbox answers it; `optional` ones may be absent. */
export function record(
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return { ...input(properties, optional), additionalProperties: false };
}

/** An object as a caller sends it: what is not named here is ignored. */
export function input(
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
  };
}

/** A schema of the document by its name. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** `null` besides what the schema takes. */
export function orNull(schema: Schema): Schema {
  return { ...schema, type: [schema.type, 'null'] };
}

export function listOf(name: string): Schema {
  return { type: 'array', items: ref(name) };
}

/** Text of so many Unicode code points. */
export function text(minLength: number, maxLength: number, pattern?: string): Schema {
  return { type: 'string', minLength, maxLength, ...(pattern === undefined ? {} : { pattern }) };
}

export const id: Schema = { type: 'string', pattern: '^[0-9a-f]{24}$' };
export const uuid: Schema = { type: 'string', format: 'uuid' };
export const flag: Schema = { type: 'boolean' };
export const yes: Schema = { const: true };
export const date: Schema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
};
export const email = text(3, 254, '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$');
export const optionalName = orNull(text(1, 200));
/** Minor units of a currency; may be negative. */
export const minorUnits: Schema = { type: 'integer' };
/** Minor units of a currency, never negative. */
export const counter: Schema = { type: 'integer', minimum: 0 };
/** An amount that a caller asks for. */
export const amount: Schema = { type: 'integer', minimum: 1, maximum: 999_999_999_999 };
