import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';

/** The directive `@semanticNonNull`, which clients such as Relay and Apollo Kotlin support. */
export const semanticNonNullDirective = new GraphQLDirective({
  name: 'semanticNonNull',
  description:
    'The field is null only if `errors` contains an error for it. Clients that handle errors may treat it as non-null.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLInt))),
      defaultValue: [0],
      description:
        'The nesting levels that the directive applies to: 0 is the field itself, 1 the items of its list.',
    },
  },
});

/** The extension that marks a field. `printGraph` reads it. */
export const SEMANTIC_NON_NULL = 'semanticNonNull';

/** Options of a field that needs another call: the field is null only if that call failed. */
export const semanticNonNull = {
  nullable: true,
  extensions: { [SEMANTIC_NON_NULL]: true },
} as const;
