import SchemaBuilder, { type ObjectRef } from '@pothos/core';
import type { Context } from './context.ts';

/** The schema builder. It contains no domain types: each folder in `domain/` adds its own. */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  DefaultInputFieldRequiredness: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    Date: { Input: string; Output: string };
    TimeZone: { Input: string; Output: string };
    CurrencyCode: { Input: string; Output: string };
    MinorUnits: { Input: number; Output: number };
    JSON: { Input: unknown; Output: unknown };
  };
}>({ defaultFieldNullability: false });

/** The builder's type parameters, for functions that create parts of the schema. */
export type Graph =
  typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never;

/** An object type of the graph whose values are of type `T`. */
export type GraphObject<T> = ObjectRef<Graph, T>;

builder.queryType({
  description:
    'All queries. A nullable field is null if the record does not exist, or if `errors` contains an error for the field. Other fields of the same query still return data.',
});

builder.mutationType({
  description:
    'All mutations. Each field returns a union: a success type, or a typed error that implements `MutationError`. Select `__typename`, and handle `... on MutationError` last. If `errors` contains an error for a field of a success type, the change succeeded and only that field could not be read. If the field of the mutation itself is null, check its error: if `extensions.outcome` is `UNKNOWN`, the change may have been made.',
});
