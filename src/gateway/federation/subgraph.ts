import {
  type GraphQLFieldConfigMap,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql';
import type { Context } from '../context.ts';
import { badInput } from '../graphql/bad-input.ts';
import { loadNode, nodeType } from '../graphql/node.ts';
import { isObject } from '../rest/record.ts';
import { NODE_FIELDS, printSubgraph } from './print-subgraph.ts';

/**
 * The same graph as an Apollo Federation v2 subgraph: `_service` and `_entities` take the
 * place of `node` and `nodes`. Entities are read through the loaders of the request, each
 * at most once.
 */
export function toSubgraph(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig();
  const query = config.query as GraphQLObjectType;
  const { fields, ...rest } = query.toConfig();
  return new GraphQLSchema({
    ...config,
    types: config.types.filter((type) => type !== query),
    query: new GraphQLObjectType({
      ...rest,
      fields: {
        ...Object.fromEntries(Object.entries(fields).filter(([name]) => !NODE_FIELDS.has(name))),
        ...federationFields(schema),
      },
    }),
  });
}

function federationFields(schema: GraphQLSchema): GraphQLFieldConfigMap<unknown, Context> {
  const node = schema.getType('Node');
  const entity = new GraphQLUnionType({
    name: '_Entity',
    description: 'What other subgraphs may extend: every node.',
    types: Object.values(schema.getTypeMap()).filter(
      (type): type is GraphQLObjectType =>
        type instanceof GraphQLObjectType && type.getInterfaces().some((face) => face === node),
    ),
    resolveType: nodeType,
  });
  const any = new GraphQLScalarType({
    name: '_Any',
    description: 'A reference to an entity: `{ "__typename": "Transaction", "id": "txn_…" }`.',
  });
  const sdl = printSubgraph(schema);
  return {
    _entities: {
      description: 'Entities by reference, in the order given; null for what does not exist.',
      type: new GraphQLNonNull(new GraphQLList(entity)),
      args: {
        representations: {
          type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(any))),
          description: 'References with the type and the node id.',
        },
      },
      resolve: (_root, { representations }, context) =>
        representations.map((reference: unknown) => loadEntity(reference, context)),
    },
    _service: {
      description: 'What a composer needs to know of this subgraph.',
      type: new GraphQLNonNull(
        new GraphQLObjectType({
          name: '_Service',
          description: 'This subgraph.',
          fields: {
            sdl: {
              type: new GraphQLNonNull(GraphQLString),
              description: 'Its schema, with the directives of federation.',
            },
          },
        }),
      ),
      resolve: () => ({ sdl }),
    },
  };
}

async function loadEntity(reference: unknown, context: Context) {
  if (!isObject(reference) || typeof reference.id !== 'string') {
    throw badInput('A representation needs `__typename` and `id`.', 'representations');
  }
  const node = await loadNode(reference.id, context, 'representations');
  if (node !== null && nodeType(node) !== reference.__typename) {
    throw badInput(`The id of a ${nodeType(node)} was given for another type.`, 'representations');
  }
  return node;
}
