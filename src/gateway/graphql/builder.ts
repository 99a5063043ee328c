import SchemaBuilder, { type ObjectRef } from '@pothos/core';
import type { Context } from '../context.ts';

/** The one schema builder. It knows no type of the domain; the slices add theirs to it. */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  DefaultInputFieldRequiredness: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    CurrencyCode: { Input: string; Output: string };
    MinorUnits: { Input: number; Output: number };
    JSON: { Input: unknown; Output: unknown };
  };
}>({ defaultFieldNullability: false });

/** The builder's own types, for functions that make parts of the schema. */
export type Graph =
  typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never;

/** An object type of the graph that shows a `T`. */
export type GraphObject<T> = ObjectRef<Graph, T>;

builder.queryType({
  description:
    'Everything that can be asked. A field is null when its record does not exist, or when an error was reported for it; other fields of the same query still answer.',
});

builder.mutationType({
  description:
    'Everything that changes something. Each field answers a union: the success, or a typed error that implements `MutationError`. Ask for `__typename` and handle `... on MutationError` last. Errors beside a success say only that something could not be read back; the success stands.',
});
