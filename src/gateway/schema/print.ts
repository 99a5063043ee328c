import {
  type GraphQLSchema,
  type IntrospectionQuery,
  introspectionFromSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql';
import { SEMANTIC_NON_NULL } from './semantic-non-null.ts';

/**
 * Prints the schema, sorted. Adds `@semanticNonNull` to the fields that have it, because
 * graphql-js does not print applied directives.
 */
export function printGraph(schema: GraphQLSchema): string {
  let typeName = '';
  const enter = (node: { name: { value: string } }) => {
    typeName = node.name.value;
  };
  const document = visit(parse(printSchema(lexicographicSortSchema(schema))), {
    ObjectTypeDefinition: { enter },
    InterfaceTypeDefinition: { enter },
    InputObjectTypeDefinition: { enter },
    FieldDefinition: (node) => {
      const type = schema.getType(typeName);
      if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
      if (type.getFields()[node.name.value]?.extensions[SEMANTIC_NON_NULL] !== true) {
        return undefined;
      }
      const name = { kind: Kind.NAME, value: 'semanticNonNull' } as const;
      const directive = { kind: Kind.DIRECTIVE, name } as const;
      return { ...node, directives: [...(node.directives ?? []), directive] };
    },
  });
  return `${print(document)}\n`;
}

/** The schema as an introspection query returns it, sorted. */
export function introspect(schema: GraphQLSchema): IntrospectionQuery {
  return introspectionFromSchema(lexicographicSortSchema(schema));
}

/** The members of each interface and union, as caches need them to match fragments. */
export function possibleTypesOf(schema: GraphQLSchema): Record<string, readonly string[]> {
  const sorted = lexicographicSortSchema(schema);
  const types = Object.values(sorted.getTypeMap()).filter((type) => isAbstractType(type));
  return Object.fromEntries(
    types.map((type) => [type.name, sorted.getPossibleTypes(type).map(({ name }) => name)]),
  );
}
