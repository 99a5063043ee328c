/** A JSON Schema (2020-12), or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** The schema of an object. */
export type ObjectSchema = Schema & { readonly properties: Readonly<Record<string, Schema>> };

/** An object in a response: it has these properties and no others. */
export function record(
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return { ...input(properties, optional), additionalProperties: false };
}

/** An object in a request. The service ignores properties that are not named here. */
export function input(
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): ObjectSchema {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
  };
}

/** A reference to a schema of the document. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema, or null. */
export function orNull(schema: Schema): Schema {
  return { ...schema, type: [schema.type, 'null'] };
}

/** A list of records with this schema. */
export function listOf(name: string): Schema {
  return { type: 'array', items: ref(name) };
}

/** Text, with its length in Unicode code points. */
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
/** The account number of a merchant. */
export const iban = orNull(text(3, 34, '^[A-Z]{2}[A-Z0-9]+$'));
/** Minor units of a currency. May be negative. */
export const minorUnits: Schema = { type: 'integer' };
/** Minor units of a currency. Never negative. */
export const counter: Schema = { type: 'integer', minimum: 0 };
/** An amount in a request, in minor units of a currency. */
export const amount: Schema = { type: 'integer', minimum: 1, maximum: 999_999_999_999 };
