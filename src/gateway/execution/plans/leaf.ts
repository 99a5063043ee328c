import {
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
} from 'graphql';

const isText = (value: unknown) => typeof value === 'string';

/** Which values the scalars of GraphQL have in most responses. They are their own results. */
const KEPT = new Map<GraphQLLeafType, (value: unknown) => boolean>([
  [GraphQLString, isText],
  [GraphQLID, isText],
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
  [GraphQLInt, (value) => typeof value === 'number' && (value | 0) === value],
]);

const none = () => false;

/**
 * Whether a value is what the response contains, and what the request contains, without another
 * check. Any other value must be converted.
 */
export function keptBy(type: GraphQLLeafType): (value: unknown) => boolean {
  return KEPT.get(type) ?? none;
}
