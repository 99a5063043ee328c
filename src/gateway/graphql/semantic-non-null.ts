import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';

/** Declares `@semanticNonNull`, which clients such as Relay and Apollo Kotlin understand. */
export const semanticNonNullDirective = new GraphQLDirective({
  name: 'semanticNonNull',
  description:
    'The position is null only when an error was reported for it. Clients that handle errors may treat it as never null.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLInt))),
      defaultValue: [0],
      description: 'Depths of list nesting the promise holds for.',
    },
  },
});

/** Name under which a field says so in its extensions; the printer reads it. */
export const SEMANTIC_NON_NULL = 'semanticNonNull';

/** Options of a field that needs another call: null only if that call failed. */
export const semanticNonNull = {
  nullable: true,
  extensions: { [SEMANTIC_NON_NULL]: true },
} as const;
