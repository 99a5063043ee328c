import {
  type ConstDirectiveNode,
  type GraphQLFieldConfigMap,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  Kind,
  parse,
  print,
  visit,
} from 'graphql';
import { isObject } from '../../upstream/record.ts';
import { badInput } from '../bad-input.ts';
import type { Context } from '../context.ts';
import { loadNode, nodeType } from '../node.ts';
import { printGraph } from '../print.ts';

/**
 * Turns the schema into an Apollo Federation v2 subgraph: `_service` and `_entities` replace `node`
 * and `nodes`. Entities are loaded with the request's loaders, so each is fetched at most once.
 */
export function toSubgraph(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig();
  const { query } = config;
  if (!query) throw new Error('The schema has no query type.');
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
    description: 'A type that other subgraphs can extend: every type that implements `Node`.',
    types: Object.values(schema.getTypeMap()).filter(
      (type): type is GraphQLObjectType =>
        type instanceof GraphQLObjectType && type.getInterfaces().some((face) => face === node),
    ),
    resolveType: nodeType,
  });
  const any = new GraphQLScalarType({
    name: '_Any',
    description:
      'A reference to an entity, such as `{ "__typename": "Transaction", "id": "txn_…" }`.',
  });
  const sdl = printSubgraph(schema);
  return {
    _entities: {
      description:
        'Entities in the order of `representations`. An item is null if it does not exist.',
      type: new GraphQLNonNull(new GraphQLList(entity)),
      args: {
        representations: {
          type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(any))),
          description: 'References with `__typename` and `id`.',
        },
      },
      resolve: (_root, { representations }, context) =>
        representations.map((reference: unknown) => loadEntity(reference, context)),
    },
    _service: {
      description: 'The subgraph, for a composer.',
      type: new GraphQLNonNull(
        new GraphQLObjectType({
          name: '_Service',
          description: 'A subgraph of Apollo Federation.',
          fields: {
            sdl: {
              type: new GraphQLNonNull(GraphQLString),
              description: 'The schema of the subgraph, with the directives of federation.',
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
    throw badInput('Each representation must have `__typename` and `id`.', 'representations');
  }
  const node = await loadNode(reference.id, context, 'representations');
  if (node !== null && nodeType(node) !== reference.__typename) {
    throw badInput(
      `\`id\` is an id of type ${nodeType(node)}; \`__typename\` is another type.`,
      'representations',
    );
  }
  return node;
}

/** Root fields that the subgraph omits: two subgraphs that have them do not compose. */
const NODE_FIELDS: ReadonlySet<string> = new Set(['node', 'nodes']);

/** Value types that other subgraphs may define too. */
const SHAREABLE: ReadonlySet<string> = new Set(['Money', 'PageInfo']);

const HEAD = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])

"Exactly one field of the input must be set."
directive @oneOf on INPUT_OBJECT
`;

/**
 * Prints the schema as an Apollo Federation v2 subgraph. Its nodes are entities with the key `id`.
 * It declares `@oneOf`, because one composer otherwise rejects it.
 */
export function printSubgraph(schema: GraphQLSchema): string {
  const key = directive('@key(fields: "id")');
  const shareable = directive('@shareable');
  const document = visit(parse(printGraph(schema)), {
    ObjectTypeDefinition: (node) => {
      const added = [
        ...(node.interfaces?.some(({ name }) => name.value === 'Node') ? [key] : []),
        ...(SHAREABLE.has(node.name.value) ? [shareable] : []),
      ];
      const fields = node.fields?.filter(({ name }) => !NODE_FIELDS.has(name.value)) ?? [];
      return {
        ...node,
        directives: [...(node.directives ?? []), ...added],
        fields: node.name.value === 'Query' ? fields : (node.fields ?? []),
      };
    },
  });
  return `${print(parse(HEAD))}\n\n${print(document)}\n`;
}

function directive(text: string): ConstDirectiveNode {
  const [definition] = parse(`type T ${text} { f: ID }`).definitions;
  const [added] =
    definition?.kind === Kind.OBJECT_TYPE_DEFINITION ? (definition.directives ?? []) : [];
  if (added === undefined) throw new Error(`${text} is not a directive.`);
  return added;
}
